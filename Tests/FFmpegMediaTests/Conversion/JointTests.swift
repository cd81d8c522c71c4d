import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

/// Plays media of different sample rates one after the other, converted to one rate, as the player sends them to a device.
@Suite("Joints of different rates")
struct JointTests {
    private func wave(_ rate: Int, _ count: Int) throws -> URL { try TestMedia.shared.wave(TestSignal(sampleRate: rate, frameCount: count)) }

    private func render(_ files: [URL], at sampleRate: Int? = nil) throws -> (samples: [Float], format: AudioFormat) {
        var samples: [Float] = []
        var format = AudioFormat.compactDisc
        var job = OfflineRenderer.Job(sources: files.map { MediaSource(.file(path: $0.path)) })
        job.sampleRate = sampleRate
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

    /// Writes noise of 16 bits into one file for each part, and into one file for all of them.
    private func parts(_ rate: Int, _ counts: [Int]) throws -> (whole: URL, parts: [URL]) {
        let samples = TestSignal(sampleRate: rate, frameCount: counts.reduce(0, +)).integers(bits: 16).map { Int32($0) }
        func file(_ name: String, _ frames: Range<Int>) throws -> URL {
            try TestMedia.shared.file("joint-\(rate)-\(counts)-\(name).wav") { url in
                let part = Array(samples[(2 * frames.lowerBound)..<(2 * frames.upperBound)])
                try WaveFile.data(part, bits: 16, sampleRate: rate, channelCount: 2).write(to: url)
            }
        }
        var (files, start) = ([URL](), 0)
        for (number, count) in counts.enumerated() {
            files.append(try file("\(number)", start..<(start + count)))
            start += count
        }
        return (try file("whole", 0..<start), files)
    }

    @Test(
        "consecutive parts of a recording have, at another rate, the samples of the whole recording, to the bit",
        arguments: [
            (44_100, 48_000, [20_001, 10_037, 777, 15_000]), (48_000, 44_100, [14_700, 12_345, 20_000]), (44_100, 96_000, [10_001, 10_002]),
            (22_050, 44_100, [5_001, 7_003]), (96_000, 44_100, [30_001, 30_003]),
        ])
    func seamless(_ rate: Int, _ target: Int, _ counts: [Int]) throws {
        let files = try parts(rate, counts)
        let whole = try render([files.whole], at: target).samples
        let joined = try render(files.parts, at: target).samples
        #expect(joined.count == whole.count)
        #expect(zip(joined, whole).allSatisfy { $0 == $1 })
    }

    @Test("the frames at a joint are the same after a seek back, in both media")
    func returns() throws {
        let format = AudioFormat(sampleRate: 48_000, channelLayout: .stereo)
        let files = try parts(44_100, [20_001, 10_037, 777, 15_000]).parts
        let (first, second) = (try Reading.open(files[0]), try Reading.open(files[1]))
        try first.setOutputFormat(format)
        func end(from position: Int64?) throws -> [Float] {
            if let position { _ = try first.seek(to: position, before: 0, after: 0) }
            first.keepEndOpen(true)
            var samples = try Reading.samples(first, channels: 2)
            try #require(first.awaitsFollower)
            if position == nil { try second.setOutputFormat(format, offset: first.remainder) }
            try first.finish(with: second)
            samples += try Reading.samples(first, channels: 2)
            #expect(!first.awaitsFollower)
            return samples
        }
        let whole = try end(from: nil)
        let following = try Reading.samples(second, channels: 2)
        for position in [Int64(whole.count / 2 - 1), 21_000, 5] {
            #expect(try end(from: position) == Array(whole[(2 * Int(position))...]))
            for start in [Int64(0), 3, 200, 5_000] {
                #expect(try second.seek(to: start, before: 0, after: 0) == start)
                #expect(try Reading.samples(second, channels: 2) == Array(following[(2 * Int(start))...]))
            }
        }
    }

    @Test("the last frames of a converted medium are complete if no other medium follows them")
    func lastFrames() throws {
        let files = try parts(44_100, [20_001, 10_037, 777, 15_000]).parts
        let reader = try Reading.open(files[0])
        try reader.setOutputFormat(AudioFormat(sampleRate: 48_000, channelLayout: .stereo))
        let whole = try Reading.samples(reader, channels: 2)
        _ = try reader.seek(to: 0, before: 0, after: 0)
        reader.keepEndOpen(true)
        var samples = try Reading.samples(reader, channels: 2)
        #expect(samples.count < whole.count)
        try reader.finish(with: nil)
        samples += try Reading.samples(reader, channels: 2)
        #expect(samples == whole)
    }
}
