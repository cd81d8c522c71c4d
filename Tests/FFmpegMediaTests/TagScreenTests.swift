import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Compressed frames of ID3v2 tags")
struct TagScreenTests {
    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    private static func syncSafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }

    /// A text frame; `unfolded` is the length that it says to have, if it is compressed.
    private static func frame(_ name: String, _ content: [UInt8], unfolded: Int? = nil) -> [UInt8] {
        let content = (unfolded.map(number) ?? []) + content
        return Array(name.utf8) + number(content.count) + [0, unfolded == nil ? 0 : 9] + content
    }
    private static func tag(_ frames: [[UInt8]], version: UInt8 = 3) -> [UInt8] {
        let frames = frames.flatMap(\.self)
        return Array("ID3".utf8) + [version, 0, 0] + syncSafe(frames.count) + frames
    }
    private static func text(_ text: String) -> [UInt8] { [3] + Array(text.utf8) }

    /// `text` as zlib has it, without making it smaller (RFC 1950, RFC 1951, 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        var a: UInt32 = 1, b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let ends = [count, ~count].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return [0x78, 0x01, 0x01] + ends + bytes + number(Int(b << 16 | a))
    }

    private func patches(_ bytes: [UInt8]) throws -> [Int64: UInt8] {
        let url = try TestMedia.shared.file("screen-\(UUID().uuidString).bin") { try Data(bytes).write(to: $0) }
        return try TagScreen(HeadSource(FileSource(path: url.path)), interrupt: Interrupt()).patches
    }

    @Test("that unfold to more than 1 MiB in all are passed over; the others stay")
    func bounded() throws {
        let small = Self.frame("TIT2", Self.text("Title"))
        let large = (0..<20).map { Self.frame("TXX\($0 % 10)", [1, 2, 3], unfolded: 300_000) }
        let found = try patches(Self.tag([small] + large))
        #expect(found.count == 17)
        let size = large[0].count
        #expect(found.keys.sorted() == (3..<20).map { Int64(10 + small.count + $0 * size) })
    }

    @Test("are found in tags that follow each other, and in chunks", arguments: ["twice", "wave", "aiff", "dsf"])
    func places(_ place: String) throws {
        let tag = Self.tag([Self.frame("TIT2", [1], unfolded: 2 << 20)])
        let chunk: (String, [UInt8], Bool) -> [UInt8] = { name, content, isLittle in
            Array(name.utf8) + (isLittle ? Self.number(content.count).reversed() : Self.number(content.count)) + content
        }
        let bytes: [UInt8] =
            switch place {
            case "twice": Self.tag([Self.frame("TIT2", Self.text("x"))]) + tag
            case "wave": chunk("RIFF", Array("WAVE".utf8) + chunk("data", [0, 0, 0, 0], true) + chunk("id3 ", tag, true), true)
            case "aiff": chunk("FORM", Array("AIFF".utf8) + chunk("SSND", [0, 0], false) + chunk("ID3 ", tag, false), false)
            default: Array("DSD ".utf8) + [UInt8](repeating: 0, count: 16) + [40, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + tag
            }
        #expect(try patches(bytes + [UInt8](repeating: 0, count: 100)).count == 1)
    }

    @Test("of a version 2.4 tag are found behind frames of either spelling of their length")
    func spellings() throws {
        let long = Self.text(String(repeating: "a", count: 299))
        let plain = Array("TIT2".utf8) + Self.number(long.count) + [0, 0] + long
        let safe = Array("TIT3".utf8) + Self.syncSafe(long.count) + [0, 0] + long
        let bad = Self.frame("TALB", [1], unfolded: 2 << 20)
        let found = try patches(Self.tag([plain, safe, bad, bad], version: 4))
        #expect(found.keys.sorted() == [Int64(10 + plain.count + safe.count), Int64(10 + plain.count + safe.count + bad.count)])
    }

    @Test("leave the rest of a tag as it is: the title of a recording with too many of them is told")
    func title() throws {
        let sound = try [UInt8](
            Data(
                contentsOf: TestMedia.shared.encoded(
                    BadInputTests.signal, as: "screened", "mp3", ["-c:a", "libmp3lame", "-id3v2_version", "0", "-write_xing", "0"])))
        let unfolded = Self.text(String(repeating: "b", count: 30_000))
        let compressed = (0..<100).map {
            Self.frame("TXXX", Self.stored([3] + Array("key \($0)".utf8) + [0] + unfolded.dropFirst()), unfolded: unfolded.count + 7)
        }
        let tag = Self.tag([Self.frame("TPE1", Self.text("Artist"))] + compressed + [Self.frame("TIT2", Self.text("Title"))])
        let url = try BadInputTests.file("screened-title.mp3", tag + sound)
        let info = try FFmpegOpener().open(MediaSource(.file(path: url.path)), interrupt: Interrupt()).info
        #expect(info.metadata.contains(MetadataEntry(key: "title", value: "Title")))
        #expect(info.metadata.contains(MetadataEntry(key: "artist", value: "Artist")))
        let kept = info.metadata.filter { $0.key.hasPrefix("key") }.count
        #expect(kept > 20 && kept < 36)
    }

    @Test("end with the tag if it has more frames than any")
    func many() throws {
        let found = try patches(Self.tag((0..<17_000).map { _ in Self.frame("TIT2", Self.text("x")) }))
        #expect(found.values.sorted() == [0])
    }

    @Test("in a tag that is cut off anywhere are no trap")
    func cut() throws {
        let whole = Self.tag([Self.frame("TIT2", Self.text("Title")), Self.frame("TALB", [1, 2], unfolded: 2 << 20)], version: 4)
        for count in 1..<whole.count { _ = try patches(Array(whole[..<count])) }
    }
}
