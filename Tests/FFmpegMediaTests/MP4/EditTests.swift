import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Edit lists of MP4 files")
struct EditTests {
    @Test(
        "a copied part of a FLAC stream in MP4 has the stated position to its end, with exact seeks",
        arguments: [1, 3.3, 11], [[], ["-movflags", "frag_keyframe+empty_moov"]])
    func partOfFLAC(_ second: Double, _ flags: [String]) throws {
        let signal = TestSignal(frameCount: 544_414)
        let plain = try TestMedia.shared.encoded(signal, as: "whole", "flac", ["-c:a", "flac"])
        let url = try TestMedia.shared.file("part-\(second)-\(flags.count).mp4") { url in
            try TestMedia.ffmpeg(["-ss", "\(second)", "-i", plain.path, "-c", "copy", "-strict", "-2"] + flags + [url.path])
        }
        let heard = try SeekTests.check(url, .lossless, count: SeekTests.few)
        // A file with fragments has no edits, because FFmpeg writes none. So it begins with a whole codec frame (4,608 samples for each channel).
        let start = Int((second * 44_100).rounded()), from = flags.isEmpty ? start : start / 4608 * 4608
        let isSame = heard == signal.integers(bits: 16)[(2 * from)...].map { Float($0) * 0x1p-15 }
        #expect(isSame)
    }

    @Test("for several edits FFmpeg's result is used, and the duration is not exact before reading", arguments: [44_100, -9, .min, .max])
    func severalEdits(_ time: Int) throws {
        let signal = TestSignal(frameCount: 44_100 * 10)
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "unedited", "m4a", ["-c:a", "alac"])))
        let url = try TestMedia.shared.file("edited \(time).m4a") {
            try Data(Rewriting.edited(plain, [(3001, 7), (2000, time)])).write(to: $0)
        }
        let reader = try Reading.open(url)
        #expect(!reader.duration.isExact)
        let count = try Reading.samples(reader).count / 2
        #expect(reader.duration == .exact(frames: Int64(count), sampleRate: 44_100))
    }

    @Test("FLAC streams joined in MP4 have the container's positions, although their frame numbers restart")
    func joinedFLAC() throws {
        let signals = [1, 2].map { TestSignal(frameCount: 46_080 * 4, seed: UInt64($0)) }
        let parts = try signals.map { try TestMedia.shared.encoded($0, as: "to-join", "flac", ["-c:a", "flac"]) }
        let list = try TestMedia.shared.file("to-join.txt") { url in
            try Data(parts.map { "file '\($0.path)'\n" }.joined().utf8).write(to: url)
        }
        let url = try TestMedia.shared.file("joined-flac.mp4") { url in
            try TestMedia.ffmpeg(["-f", "concat", "-safe", "0", "-i", list.path, "-c", "copy", "-strict", "-2", url.path])
        }
        let expected = signals.flatMap { $0.integers(bits: 16).map { Float($0) * 0x1p-15 } }
        let isSame = try SeekTests.check(url, .lossless, count: SeekTests.few) == expected
        #expect(isSame)
    }
}
