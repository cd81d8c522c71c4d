import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

/// Plays media of different sample rates one after the other, converted to one rate, as the player sends them to a device.
@Suite("Joints of different rates")
struct JointTests {
    private func wave(_ rate: Int, _ count: Int) throws -> URL { try TestMedia.shared.wave(TestSignal(sampleRate: rate, frameCount: count)) }

    private func render(_ files: [URL]) throws -> (samples: [Float], format: AudioFormat) {
        var samples: [Float] = []
        var format = AudioFormat.compactDisc
        let job = OfflineRenderer.Job(sources: files.map { MediaSource(.file(path: $0.path)) })
        _ = try OfflineRenderer(opener: FFmpegOpener()) { _, format in VarispeedTimePitch(format: format) }.render(job) { stretch, actual in
            samples += stretch
            format = actual
            return true
        }
        return (samples, format)
    }

    @Test(
        "the number of output frames is the sum of the exact durations, rounded once",
        arguments: [
            // Each medium after the first has 0.35 of an output frame beyond a whole number. If each length were rounded alone, frames would be lost.
            [(44_100, 44_101), (48_000, 48_008), (48_000, 48_008)],
            [(44_100, 44_101), (48_000, 48_008), (48_000, 48_008), (48_000, 48_008), (48_000, 48_008), (48_000, 48_008), (48_000, 48_008)],
            [(44_100, 10_001), (48_000, 12_345), (44_100, 777), (32_000, 9_001), (48_000, 12_345), (96_000, 33_333), (22_050, 5_001)],
            [(48_000, 24_001), (44_100, 22_222), (44_100, 22_222), (44_100, 22_223), (8_000, 4_001), (11_025, 6_007)],
        ])
    func total(_ parts: [(rate: Int, count: Int)]) throws {
        let result = try render(parts.map { try wave($0.rate, $0.count) })
        let exact = parts.reduce(0.0) { $0 + Double($1.count) * Double(parts[0].rate) / Double($1.rate) }
        #expect(result.format.sampleRate == parts[0].rate)
        #expect(result.samples.count / 2 == Int(exact.rounded()))
    }

    @Test("unconverted media are unchanged, whatever the rounding at the preceding joint")
    func untouched() throws {
        let files = [try wave(44_100, 1_001), try wave(48_000, 48_008), try wave(44_100, 2_003)]
        let whole = try render(files).samples
        let last = TestSignal(frameCount: 2_003).integers(bits: 16).map { Float($0) / 32_768 }
        #expect(Array(whole.suffix(last.count)) == last)
    }

    @Test("a joint has no silent frames: the last frames of a converted medium are as loud as the preceding ones")
    func noHoles() throws {
        let files = try (0..<7).map { _ in try wave(48_000, 48_008) }
        let result = try render([try wave(44_100, 1_001)] + files).samples
        let frames = stride(from: 0, to: result.count, by: 2).map { max(abs(result[$0]), abs(result[$0 + 1])) }
        // The noise of these files has no two silent frames in succession. So two such frames would be a gap at a joint.
        #expect(!zip(frames, frames.dropFirst()).contains { $0 < 1e-6 && $1 < 1e-6 })
    }
}
