import FFmpegMedia
import Foundation
import PlaybackEngine
import Testing

/// Reads media for tests.
enum Reading {
    static func open(_ url: URL, precise: Bool = false) throws(PlaybackError) -> any AudioReader {
        try FFmpegOpener().open(MediaSource(.file(path: url.path), prefersPreciseDuration: precise), interrupt: Interrupt())
    }

    /// Opens a source that cannot be played, and returns the error; nil if it opens.
    static func failure(_ source: MediaSource) -> PlaybackError? {
        do {
            _ = try FFmpegOpener().open(source, interrupt: Interrupt())
            return nil
        } catch { return error }
    }

    /// Opens a remote medium that cannot be played, and returns the error; nil if it opens.
    static func failure(_ url: String) -> PlaybackError? { failure(MediaSource(.remote(url: url))) }

    /// Reads at most `limit` frames from the current position on. Checks that each block begins at the end of the preceding one.
    static func samples(_ reader: any AudioReader, limit: Int = .max, channels: Int? = nil) throws -> [Float] {
        let channels = channels ?? reader.info.format.channelCount
        var output: [Float] = [], expected: Int64?
        while output.count / channels < limit, let block = try reader.read() {
            #expect(block.frameCount > 0)
            #expect(expected == nil || block.position == expected, "blocks follow each other without gap or overlap")
            expected = block.end
            output.append(contentsOf: block.samples)
        }
        if output.count / channels > limit { output.removeLast(output.count - limit * channels) }
        return output
    }

    /// Returns the lag, in frames within ±`reach`, at which `heard` is most similar to `source`, and the similarity there (1 means equal). Both have
    /// one channel.
    ///
    /// The function uses `while` and unsafe pointers, because in debug builds a loop over a range takes ten times as long.
    static func alignment(_ heard: [Float], _ source: [Float], reach: Int) -> (lag: Int, likeness: Double) {
        let count = min(heard.count, source.count) - 2 * reach
        guard count > 0 else { return (0, 0) }
        return heard.withUnsafeBufferPointer { heard in
            source.withUnsafeBufferPointer { source in
                var best = (lag: 0, likeness: -1.0), lag = -reach
                var energy = 0.0, index = reach
                while index < reach + count {
                    energy += Double(source[index]) * Double(source[index])
                    index += 1
                }
                while lag <= reach {
                    var cross: Float = 0, power: Float = 0
                    index = reach
                    while index < reach + count {
                        let value = heard[index + lag]
                        cross += value * source[index]
                        power += value * value
                        index += 1
                    }
                    let likeness = power > 0 && energy > 0 ? Double(cross) / (Double(power) * energy).squareRoot() : 0
                    if likeness > best.likeness { best = (lag, likeness) }
                    lag += 1
                }
                return best
            }
        }
    }

    /// Returns the largest difference between a sample of the block and the corresponding sample of `whole` from frame `first` on.
    static func difference(_ block: AudioBlock, _ whole: [Float], first: Int) -> Float {
        let heard = block.samples
        return whole.withUnsafeBufferPointer { whole in
            if let start = heard.baseAddress, let other = whole.baseAddress,
                memcmp(start, other + first, heard.count * MemoryLayout<Float>.size) == 0
            {
                return 0
            }
            var worst: Float = 0, index = 0
            while index < heard.count {
                worst = max(worst, abs(heard[index] - whole[first + index]))
                index += 1
            }
            return worst
        }
    }
}

extension Array where Element == Float {
    /// Returns the samples of one channel from these interleaved samples.
    func channel(_ number: Int, of channels: Int) -> [Float] { stride(from: number, to: count, by: channels).map { self[$0] } }
    /// Returns the frames `range` of these interleaved samples.
    func frames(_ range: Range<Int>, of channels: Int) -> [Float] { Array(self[(range.lowerBound * channels)..<(range.upperBound * channels)]) }
}
