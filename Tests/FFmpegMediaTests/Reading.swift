import FFmpegMedia
import Foundation
import PlaybackEngine
import Testing

/// Reads media for tests.
enum Reading {
    static func open(_ url: URL, precise: Bool = false) throws(PlaybackError) -> any AudioReader {
        try FFmpegOpener().open(MediaSource(.file(path: url.path), prefersPreciseDuration: precise), interrupt: Interrupt())
    }

    /// Up to `limit` frames from where the reader is; checks that blocks join.
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

    /// The lag, within ±`reach`, at which `heard` is most like `source`, and how like it is there (1: the same). One channel.
    static func alignment(_ heard: [Float], _ source: [Float], reach: Int) -> (lag: Int, likeness: Double) {
        let count = min(heard.count, source.count) - 2 * reach
        guard count > 0 else { return (0, 0) }
        var best = (lag: 0, likeness: -1.0)
        for lag in -reach...reach {
            var cross = 0.0, first = 0.0, second = 0.0
            for index in stride(from: reach, to: reach + count, by: 1) {
                let a = Double(heard[index + lag]), b = Double(source[index])
                cross += a * b
                first += a * a
                second += b * b
            }
            let likeness = first > 0 && second > 0 ? cross / (first * second).squareRoot() : 0
            if likeness > best.likeness { best = (lag, likeness) }
        }
        return best
    }
}

extension Array where Element == Float {
    /// One channel of interleaved samples.
    func channel(_ number: Int, of channels: Int) -> [Float] { stride(from: number, to: count, by: channels).map { self[$0] } }
    /// Frames `range` of interleaved samples.
    func frames(_ range: Range<Int>, of channels: Int) -> [Float] { Array(self[(range.lowerBound * channels)..<(range.upperBound * channels)]) }
}
