import CoreMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia

/// Plays loops of real media, and checks that each turn of a loop has the samples of uninterrupted playback.
@Suite("Loops of media")
struct LoopExactnessTests {
    struct Coding: Sendable, CustomTestStringConvertible {
        var fileExtension: String
        var arguments: [String]
        var testDescription: String { fileExtension }
    }
    static let codings = [
        Coding(fileExtension: "flac", arguments: ["-c:a", "flac"]), Coding(fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "192k"]),
        Coding(fileExtension: "m4a", arguments: ["-c:a", "aac", "-b:a", "192k"]), Coding(fileExtension: "ogg", arguments: ["-c:a", "libvorbis"]),
        Coding(fileExtension: "opus", arguments: ["-c:a", "libopus", "-b:a", "128k"]),
    ]

    private func media(_ coding: Coding) throws -> URL {
        let signal = TestSignal(sampleRate: 48_000, channelCount: 2, frameCount: 4 * 48_000, seed: 5)
        return try TestMedia.shared.encoded(signal, as: "loop", coding.fileExtension, coding.arguments)
    }

    private func job(_ url: URL) -> OfflineRenderer.Job { OfflineRenderer.Job(sources: [MediaSource(.file(path: url.path))]) }

    private func renderer() -> OfflineRenderer {
        OfflineRenderer(opener: FFmpegOpener()) { _, format in NearestPitch(channelCount: format.channelCount) }
    }

    @Test("in 100, thoroughly 1,000 turns of a second, every sample is that of uninterrupted playback", arguments: codings)
    func turns(_ coding: Coding) throws {
        let url = try media(coding)
        let straight = Mutex<[Float]>([])
        _ = try renderer().render(job(url)) { samples, _ in
            straight.withLock { $0.append(contentsOf: samples) }
            return true
        }
        let source = straight.withLock { $0 }
        let (start, end, turns) = (60_001, 108_001, TestDepth.isThorough ? 1000 : 100)
        var looped = job(url)
        looped.loop = LoopRange(start: CMTime(value: Int64(start), timescale: 48_000), end: CMTime(value: Int64(end), timescale: 48_000))
        looped.turns = turns
        let progress = Mutex((frame: 0, position: 0, differences: 0))
        let summary = try renderer().render(looped) { samples, _ in
            progress.withLock { progress in
                for frame in 0..<(samples.count / 2) {
                    if progress.position == end { progress.position = start }
                    for channel in 0..<2 where samples[frame * 2 + channel] != source[progress.position * 2 + channel] { progress.differences += 1 }
                    progress.position += 1
                    progress.frame += 1
                }
            }
            return true
        }
        #expect(summary.frames == Int64(end + (turns - 1) * (end - start)))
        #expect(progress.withLock { $0.frame } == end + (turns - 1) * (end - start))
        #expect(progress.withLock { $0.differences } == 0)
    }

    // The decoder of AAC depends on all earlier packets, so after a seek its last bits may differ.
    @Test(
        "a reader that seeks to the start of a loop at each turn delivers the samples of uninterrupted playback",
        arguments: [codings[0], codings[1], codings[3], codings[4]])
    func seeks(_ coding: Coding) throws {
        let reader = try FFmpegOpener().open(MediaSource(.file(path: try media(coding).path)), interrupt: Interrupt())
        var source: [Float] = []
        while let block = try reader.read() { source.append(contentsOf: block.samples) }
        let (start, end) = (60_001, 108_001)
        for turn in 0..<20 {
            #expect(try reader.seek(to: Int64(start), before: 0, after: 0) == Int64(start))
            var position = start
            while position < end, let block = try reader.read() {
                let count = min(block.frameCount, end - position)
                #expect(Array(block.samples[..<(count * 2)]) == Array(source[(position * 2)..<((position + count) * 2)]), "turn \(turn)")
                position += count
            }
        }
    }
}
