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

    static let lists: [[(duration: Int, time: Int)]] = [
        // Lists of edits: two ranges in order; two ranges out of order; the same range twice; and (in the next line) ranges with empty edits around
        // them.
        [(3000, 0), (4000, 220_500)], [(2000, 300_000), (3000, 1000)], [(3000, 44_100), (3000, 44_100)],
        [(500, -1), (1000, 100_000), (250, -1), (1500, 20_001), (100, -1)],
        // Two edits that follow each other up to the rounding to milliseconds; an edit that ends after the end of the media.
        [(3001, 10), (1000, 10 + 132_333)], [(2000, 400_000), (1000, 0)],
    ]

    @Test("several edits play in sequence, exact to the sample, with exact seeks", arguments: lists.indices)
    func severalEdits(_ number: Int) throws {
        let signal = TestSignal(frameCount: 44_100 * 10), list = EditTests.lists[number]
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "unedited", "m4a", ["-c:a", "alac"])))
        let url = try TestMedia.shared.file("edited-\(number).m4a") { try Data(Rewriting.edited(plain, list)).write(to: $0) }
        let source = signal.integers(bits: 16).map { Float($0) * 0x1p-15 }
        var expected: [Float] = []
        for (index, edit) in list.enumerated() {
            let length = (edit.duration * 441 + 5) / 10, following = index + 1 < list.count ? list[index + 1].time : -1
            let end = following > 0 && abs(following - edit.time - length) <= 45 ? following : edit.time + length
            let held = edit.time < 0 ? [] : source[(2 * edit.time)..<min(source.count, 2 * end)]
            expected += held + [Float](repeating: 0, count: 2 * (edit.time < 0 ? length : end - edit.time) - held.count)
        }
        let reader = try Reading.open(url)
        #expect(reader.duration == .exact(frames: Int64(expected.count / 2), sampleRate: 44_100))
        let heard = try SeekTests.check(url, .lossless, count: SeekTests.few)
        #expect(heard.count == expected.count)
        let isSame = heard == expected
        #expect(isSame)
        // Seeks to ten frames before the joint of the first two edits, and compares the frames before and after the joint. After the last edit there
        // are no frames.
        let joint = (list[0].duration * 441 + 5) / 10 - 10
        #expect(try reader.seek(to: Int64(joint), before: 0, after: 0) == Int64(joint))
        let isJoined = try Reading.samples(reader, limit: 3000) == expected.frames(joint..<(joint + 3000), of: 2)
        #expect(isJoined)
        #expect(try reader.seek(to: Int64(expected.count), before: 0, after: 0) == Int64(expected.count))
        #expect(try reader.read() == nil)
    }

    @Test("edits of AAC begin with correctly decoded samples, and a seek with tolerance stays inside its edit")
    func severalEditsOfAAC() throws {
        let signal = TestSignal(frameCount: 44_100 * 10)
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "unedited-aac", "m4a", ["-c:a", "aac", "-aac_pns", "0"])))
        let whole = try Reading.samples(Reading.open(TestMedia.shared.encoded(signal, as: "unedited-aac", "m4a", ["-c:a", "aac", "-aac_pns", "0"])))
        let url = try TestMedia.shared.file("edited-aac.m4a") {
            try Data(Rewriting.edited(plain, [(3000, 1024), (4000, 221_524)])).write(to: $0)
        }
        let heard = try SeekTests.check(url, .repeatable, count: SeekTests.few)
        #expect(heard.count == 2 * 308_700)
        let expected = whole.frames(0..<132_300, of: 2) + whole.frames(220_500..<396_900, of: 2)
        #expect(zip(heard, expected).allSatisfy { abs($0 - $1) <= 0x1p-15 })
        let reader = try Reading.open(url)
        let landed = try Int(reader.seek(to: 132_400, before: 40_000, after: 100))
        #expect((132_300...132_500).contains(landed))
        let near = try Reading.samples(reader, limit: 3000)
        #expect(zip(near, expected.frames(landed..<(landed + 3000), of: 2)).allSatisfy { abs($0 - $1) <= 0x1p-15 })
    }

    @Test("a truncated file with several edits ends with its media, and its duration is not exact before")
    func severalEditsCut() throws {
        let signal = TestSignal(frameCount: 44_100 * 10)
        let plain = try [UInt8](
            Data(contentsOf: TestMedia.shared.encoded(signal, as: "unedited-cut", "m4a", ["-c:a", "alac", "-moov_size", "8000"])))
        // The header of the file precedes the media. The edit list makes it longer; the free space after it becomes shorter by as many bytes, so that
        // the media keeps its offset.
        var bytes = try Rewriting.edited(plain, [(1000, 0), (9000, 44_100)])
        let free = try #require(bytes.indices.last { $0 + 4 < 8000 && Array(bytes[$0..<$0 + 4]) == Array("free".utf8) })
        bytes[free - 1] -= 12
        bytes.removeSubrange((free + 4)..<(free + 16))
        let url = try TestMedia.shared.file("edited-cut.m4a") { try Data(bytes.prefix(plain.count / 2)).write(to: $0) }
        let reader = try Reading.open(url)
        #expect(!reader.duration.isExact)
        let count = try Reading.samples(reader).count / 2
        #expect(count < 44_100 * 6 && count > 44_100 * 4)
        #expect(reader.duration == .exact(frames: Int64(count), sampleRate: 44_100))
    }

    @Test("for invalid edits FFmpeg's result is used, and the duration is not exact before reading", arguments: [-9, .min, .max])
    func senselessEdits(_ time: Int) throws {
        let signal = TestSignal(frameCount: 44_100 * 10)
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "unedited", "m4a", ["-c:a", "alac"])))
        let url = try TestMedia.shared.file("edited-senseless \(time).m4a") {
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
