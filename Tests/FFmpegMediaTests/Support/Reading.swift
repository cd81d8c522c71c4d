import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
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

    /// Returns the largest difference between a sample of the block and the corresponding sample of `whole` from frame `first` on.
    static func difference(_ block: AudioBlock, _ whole: [Float], first: Int) -> Float {
        SampleComparison.difference(block.samples, whole, from: first)
    }
}
