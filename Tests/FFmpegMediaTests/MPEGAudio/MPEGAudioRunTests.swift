import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("MPEG audio that is hard to recognise")
struct MPEGAudioRunTests {
    static let plain = ["-write_xing", "0", "-id3v2_version", "0", "-b:a", "128k"]

    /// Returns the bytes of an encoded file of `frames` frames.
    static func bytes(_ frames: Int, _ kind: String) throws -> [UInt8] {
        let arguments = (kind == "mp3" ? ["-c:a", "libmp3lame"] + plain : ["-c:a", "mp2", "-b:a", "128k"])
        let whole = try DurationTests.bytes("run", kind, arguments, TestSignal(frameCount: 44_100 * 5))
        // FFmpeg's own limit of frames (`-frames:a`) is exact in some of its releases only.
        var end = 0
        for _ in 0..<frames { end += 144 * 128_000 / 44_100 + Int(whole[end + 2] >> 1 & 1) }
        return Array(whole.prefix(end))
    }

    @Test("MP3 and MP2 of two and three frames are played", arguments: ["mp3", "mp2"], [2, 3])
    func short(_ kind: String, _ frames: Int) throws {
        let url = try DurationTests.file("run-\(frames).\(kind)", MPEGAudioRunTests.bytes(frames, kind))
        let reader = try Reading.open(url)
        let heard = try Reading.samples(reader).count / 2
        #expect(heard == frames * 1152)
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("unknown bytes between the tag and the first frame are skipped, more than the audio has too", arguments: [10, 3000, 90_000])
    func unknownBytes(_ count: Int) throws {
        let audio = try MPEGAudioRunTests.bytes(100, "mp3")
        let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 20] + [UInt8](repeating: 0, count: 20)
        var random = SeededGenerator(seed: 2)
        let unknown = (0..<count).map { _ in UInt8.random(in: 0...127, using: &random) }
        let whole = try Reading.samples(Reading.open(DurationTests.file("run-whole.mp3", audio)))
        let reader = try Reading.open(DurationTests.file("run-unknown-\(count).mp3", tag + unknown + audio))
        let heard = try Reading.samples(reader)
        // If more than 64 KiB precede the first frame, FFmpeg's parser leaves it in one packet with the last of these bytes, and it is lost.
        let lost = count > 65_536 ? 2 * 3456 : 0
        let isEqual = heard.count == whole.count && heard.dropFirst(lost) == whole.dropFirst(lost)
        #expect(isEqual)
        #expect(reader.duration == .exact(frames: Int64(heard.count / 2), sampleRate: 44_100))
        #expect(try reader.seek(to: 20_000, before: 0, after: 0) == 20_000)
        let isRestEqual = try Reading.samples(reader) == Array(whole.dropFirst(40_000))
        #expect(isRestEqual)
    }

    @Test("one header, two headers of different kinds, and two headers in noise are not enough")
    func isFound() throws {
        func isFound(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { MPEGAudioRun.isFound(in: $0) } }
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 1, count: 413), head: [UInt8] = Array(frame.prefix(4))
        #expect(isFound(frame + head) && isFound([0, 0] + frame + frame))
        #expect(!isFound(frame) && !isFound([]) && !isFound([0, 0, 0]))
        #expect(!isFound(frame + [0xFF, 0xFD, 0x90, 0x00]) && !isFound(frame + [0xFF, 0xFB, 0x94, 0x00]))
        #expect(!isFound([1] + frame + head) && isFound([1] + frame + frame + head))
        #expect(!isFound([1] + frame + frame + [0xFF, 0xFB, 0x00, 0x00]))
    }
}
