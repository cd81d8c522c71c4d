import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

/// The values are those that mutagen 1.47 reads in the same files, which is independent of TagLib and FFmpeg.
@Suite("All values of tags, and the fields of all tags of a file")
struct TagValueTests {
    private static let names = ["Alice", "B;C", "Zoë"]

    private static func bytes(_ ending: String, _ codec: String, _ options: [String] = []) throws -> [UInt8] {
        try [UInt8](
            Data(
                contentsOf: TestMedia.shared.encoded(
                    MetadataTests.signal, as: "values-\(codec)", ending, ["-c:a", codec, "-bitexact"] + options)))
    }
    private static func mp3() throws -> [UInt8] { try bytes("mp3", "libmp3lame", ["-id3v2_version", "0"]) }
    private static func info(_ name: String, _ bytes: [UInt8]) throws -> MediaInfo {
        try Reading.open(TestMedia.shared.file("values-\(name)") { try Data(bytes).write(to: $0) }).info
    }
    private static func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    // MARK: Tags

    private static func frame(_ name: String, _ content: [UInt8], version: UInt8 = 4) -> [UInt8] {
        let size = version == 4 ? (0..<4).map { UInt8(content.count >> (21 - 7 * $0) & 0x7F) } : AudioTag.big(content.count, 4)
        return Array(name.utf8) + size + [0, 0] + content
    }
    /// Returns an ID3v2 tag with a title and these frames.
    private static func id3(_ frames: [[UInt8]], version: UInt8 = 4) -> [UInt8] { AudioTag.id3v2(version, rest: frames.flatMap(\.self)) }
    private static func text(_ values: [String]) -> [UInt8] { [3] + Array(values.joined(separator: "\0").utf8) }
    private static func wideText(_ values: [String]) -> [UInt8] {
        let units = values.map { Array(("\u{FEFF}" + $0).utf16) }.joined(separator: [0])
        return [1] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static func comments(_ fields: [(String, String)]) -> [UInt8] {
        little(0) + little(fields.count) + fields.flatMap { little("\($0)=\($1)".utf8.count) + Array("\($0)=\($1)".utf8) }
    }
    private static func flac(_ block: [UInt8]) throws -> [UInt8] {
        let plain = try bytes("flac", "flac")
        return Array(plain[..<42]) + [4] + AudioTag.big(block.count, 3) + block + plain[42...]
    }
    /// Returns an Ogg file whose second page has other comments. `head` returns what precedes them, from the first byte of the packet.
    private static func ogg(_ ending: String, _ codec: String, _ block: [UInt8], head: (_ first: UInt8) -> [UInt8]) throws -> [UInt8] {
        var pages = OggPages.split(try bytes(ending, codec))
        let old = pages[1], packet = head(old[27 + Int(old[26])]) + block
        let segments = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
        var page = Array(old[..<26]) + [UInt8(segments.count)] + segments + packet
        page.replaceSubrange(22..<26, with: OggPages.checksum(page))
        pages[1] = page
        return pages.flatMap(\.self)
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        AudioTag.big(content.count + 8, 4) + Array(name.unicodeScalars.map { UInt8($0.value) }) + content
    }
    private static func item(_ name: String, _ values: [String]) -> [UInt8] {
        box(name, values.flatMap { box("data", [0, 0, 0, 1, 0, 0, 0, 0] + Array($0.utf8)) })
    }
    private static func mp4(_ items: [UInt8], ofTrack trackItems: [UInt8] = []) throws -> [UInt8] {
        let plain = try bytes("m4a", "aac", ["-metadata", "title=x"])
        func place(_ name: String) throws -> Int {
            try #require(plain.indices.dropLast(4).last { plain[$0...].starts(with: name.utf8) }) - 4
        }
        func size(_ place: Int) -> Int { plain[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        let movie = try place("moov"), old = try place("udta")
        try #require(old + size(old) == movie + size(movie) && movie + size(movie) == plain.count, "ffmpeg writes the tags at the end of the file")
        let handler = box("hdlr", [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
        func tags(_ items: [UInt8]) -> [UInt8] { box("udta", box("meta", [0, 0, 0, 0] + handler + box("ilst", items))) }
        let track = try place("trak")
        try #require(track + size(track) == old, "ffmpeg writes the track before the tags")
        let tagged = box("trak", Array(plain[(track + 8)..<old]) + (trackItems.isEmpty ? [] : tags(trackItems)))
        return Array(plain[..<movie]) + box("moov", Array(plain[(movie + 8)..<track]) + tagged + tags(items))
    }

    private static func file(_ kind: String) throws -> [UInt8] {
        let fields = names.map { ("ARTIST", $0) } + [("GENRE", "Jazz"), ("genre", "Rock"), ("ALBUMARTIST", "Band"), ("TITLE", "Title")]
        switch kind {
        case "ID3v2.4":
            return try id3([frame("TPE1", text(names)), frame("TCON", text(["Jazz", "17"])), frame("TPE2", text(["Band"]))]) + mp3()
        case "ID3v2.3":
            let frames = [("TPE1", names), ("TCON", ["Jazz", "Rock"]), ("TPE2", ["Band"])].map { frame($0, wideText($1), version: 3) }
            return try id3(frames, version: 3) + mp3()
        case "APEv2":
            let items = [("Artist", names), ("Genre", ["Jazz", "Rock"]), ("Album Artist", ["Band"]), ("Title", ["Title"])].map {
                ReplayGainTagTests.item($0, Array($1.joined(separator: "\0").utf8))
            }
            return try mp3() + ReplayGainTagTests.tag(items)
        case "MP4":
            return try mp4(item("©nam", ["Title"]) + item("©ART", names) + item("©gen", ["Jazz", "Rock"]) + item("aART", ["Band"]))
        case "MP4, several items":
            let artists = names.flatMap { item("©ART", [$0]) }
            return try mp4(item("©nam", ["Title"]) + artists + item("©gen", ["Jazz"]) + item("aART", ["Band"]) + item("©gen", ["Rock"]))
        case "FLAC": return try flac(comments(fields))
        case "Opus": return try ogg("opus", "libopus", comments(fields)) { _ in Array("OpusTags".utf8) }
        default:
            let block = comments(fields)
            return try ogg("oga", "flac", block) { [$0] + AudioTag.big(block.count, 3) }
        }
    }

    private static let kinds = ["ID3v2.4", "ID3v2.3", "APEv2", "MP4", "MP4, several items", "FLAC", "Opus", "FLAC in Ogg"]
    private static func ending(_ kind: String) -> String {
        ["MP4": "m4a", "MP4, several items": "m4a", "FLAC": "flac", "Opus": "opus", "FLAC in Ogg": "oga"][kind] ?? "mp3"
    }

    @Test("all values of a field are read in their order, as by mutagen (R-ASSET-21)", arguments: kinds)
    func values(_ kind: String) throws {
        let info = try Self.info("\(kind).\(Self.ending(kind))", Self.file(kind))
        #expect(info.values("artist").map(String.init) == Self.names)
        #expect(info.values("genre") == ["Jazz", "Rock"])
        #expect(info.values("album_artist") == ["Band"] && info.values("title") == ["Title"])
        #expect(info.tag("album artist") == nil && info.tag("albumartist") == nil, "a field has one name")
        #expect(info.values("artist").joined == "Alice, B;C, Zoë" && info.values("composer").joined == nil)
    }

    @Test(
        "all values at the start of a file are read from a server, and the tags at its end are not",
        arguments: ["ID3v2.4", "FLAC", "Opus", "FLAC in Ogg"])
    func remote(_ kind: String) throws {
        let bytes = try Self.file(kind)
        let tail = kind == "ID3v2.4" ? ReplayGainTagTests.tag([ReplayGainTagTests.item("Label", Array("Last".utf8))]) : []
        let source = ScriptedRemote(bytes + tail)
        let info = try FFmpegOpener().open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt()).info
        #expect(info.values("artist").map(String.init) == Self.names && info.tag("label") == nil)
    }

    @Test("the items of an MP4 file are not those of its track")
    func trackItems() throws {
        let tags = try Self.mp4(Self.item("©nam", ["Title"]) + Self.item("©ART", Self.names), ofTrack: Self.item("©nam", ["Track"]))
        let info = try Self.info("track-items.m4a", tags)
        #expect(info.values("title") == ["Title"] && info.values("artist").map(String.init) == Self.names)
    }

    // MARK: Several tags

    @Test("fields that a tag lacks come from the next one: ID3v2, APEv2, ID3v1, as mutagen's ID3 does with ID3v1 (R-ASSET-21)")
    func gaps() throws {
        func old(_ text: String, _ count: Int) -> [UInt8] { Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count) }
        let names = old("Old title", 30) + old("Old artist", 30) + old("Old album", 30)
        let last: [UInt8] = Array("TAG".utf8) + names + old("1999", 4) + old("c", 28) + [0, 5, 17]
        let items = [("Album", "APE album"), ("Title", "APE title"), ("Year", "2001")].map { ReplayGainTagTests.item($0, Array($1.utf8)) }
        let bytes = try Self.id3([Self.frame("TCON", Self.text(["House"]))]) + Self.mp3() + ReplayGainTagTests.tag(items) + last
        let info = try Self.info("gaps.mp3", bytes)
        #expect(info.values("title") == ["Title"] && info.values("genre") == ["House"], "ID3v2")
        #expect(info.values("album") == ["APE album"] && info.values("date") == ["2001"], "APEv2")
        #expect(info.values("artist") == ["Old artist"] && info.values("track") == ["5"] && info.values("comment") == ["c"], "ID3v1")
    }

    /// An ID3v1 tag with a title, an album and a comment.
    private static var cut: [UInt8] {
        func field(_ text: String, _ count: Int) -> [UInt8] { Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count) }
        return Array("TAG".utf8) + field("Old", 30) + field("", 30) + field("Old album", 30) + field("", 4) + field("cut", 30) + [255]
    }

    @Test("the texts of ID3v2 that only FFmpeg reads come before the shorter ones of ID3v1: ID3v2.2, and comments")
    func cutTexts() throws {
        let two = try Self.info("two.mp3", AudioTag.id3v2(2) + Self.mp3() + Self.cut)
        #expect(two.values("title") == ["Title"] && two.values("album") == ["Old album"])
        let long = "A comment that is longer than the thirty characters of ID3v1"
        let comment = Self.frame("COMM", [0] + Array("eng".utf8) + [0] + Array(long.utf8))
        #expect(try Self.info("comment.mp3", Self.id3([comment]) + Self.mp3() + Self.cut).tag("comment").map(String.init) == long)
    }

    @Test("a value that is not UTF-8 is windows-1252, beside others of its field", arguments: ["FLAC", "Opus", "APEv2", "ID3v1"])
    func oldEncoding(_ kind: String) throws {
        let old = Array("Bj".utf8) + [0xF6] + Array("rk".utf8), new = Array("Zoë".utf8)
        let comments = [old, new].flatMap { Self.little(7 + $0.count) + Array("ARTIST=".utf8) + $0 }
        let block = Self.little(0) + Self.little(2) + comments
        let bytes: [UInt8]
        switch kind {
        case "FLAC": bytes = try Self.flac(block)
        case "Opus": bytes = try Self.ogg("opus", "libopus", block) { _ in Array("OpusTags".utf8) }
        case "APEv2": bytes = try Self.mp3() + ReplayGainTagTests.tag([ReplayGainTagTests.item("Artist", old + [0] + new)])
        default: bytes = try Self.mp3() + Array("TAG".utf8) + [UInt8](repeating: 0, count: 30) + old + [UInt8](repeating: 0, count: 90)
        }
        let info = try Self.info("old-encoding-\(kind).\(Self.ending(kind))", bytes)
        #expect(info.values("artist") == (kind == "ID3v1" ? ["Björk"] : ["Björk", "Zoë"]))
    }

    @Test("a block of comments that is too long is left to FFmpeg, which has all values in one text")
    func cutComments() throws {
        let long = String(repeating: "x", count: 5 << 20)
        let info = try Self.info("cut.flac", Self.flac(Self.comments([("ARTIST", "A"), ("X", long), ("ARTIST", "B")])))
        #expect(info.values("artist") == ["A;B"])
    }

    @Test("the texts after a frame with a name that TagLib refuses are read")
    func refusedName() throws {
        let frames = [Self.frame("TS2 ", Self.text(["x"])), Self.frame("TPE1", Self.text(Self.names))]
        #expect(try Self.info("refused.mp3", Self.id3(frames) + Self.mp3()).values("artist").map(String.init) == Self.names)
    }

    @Test("an item of APEv2 of which only a part may still be read is left out")
    func partlyRead() throws {
        let first = ReplayGainTagTests.item("Artist", Array(repeating: 0x61, count: 112))
        let others = [[UInt8]](repeating: ReplayGainTagTests.item("ab", [1], flags: 2), count: 15_885)
        let last = ReplayGainTagTests.item(String(repeating: "n", count: 200), Array("value".utf8))
        let info = try Self.info("part.mp3", Self.mp3() + ReplayGainTagTests.tag([first] + others + [last, last]))
        #expect(info.tag("artist")?.utf8.count == 112 && !info.metadata.contains { $0.key.hasPrefix("nn") })
    }

    @Test("an ID3v1 tag in UTF-8 is read as such, and its genre by its number")
    func old() throws {
        let text = Array("Füße".utf8), tag = Array("TAG".utf8) + text + [UInt8](repeating: 0, count: 124 - text.count) + [8]
        let info = try Self.info("old.mp3", Self.mp3() + tag)
        #expect(info.values("title") == ["Füße"] && info.values("genre") == ["Jazz"] && info.tag("album") == nil)
    }

    @Test(
        "genres by numbers, remixes and covers have their names (ID3v2.3, section 4.2.1, TCON; ID3v2.4 frames, section 4.2.3)",
        arguments: [
            (3, "(17)(RX)Own", ["Rock", "Remix", "Own"]), (3, "(8)Jazz", ["Jazz"]), (3, "Own", ["Own"]),
            (4, "17\0CR\0Own", ["Rock", "Cover", "Own"]), (4, "9999", ["9999"]),
        ] as [(UInt8, String, [String])])
    func genres(_ version: UInt8, _ text: String, _ names: [String]) throws {
        let frame = Self.frame("TCON", [version == 4 ? 3 : 0] + Array(text.utf8), version: version)
        let info = try Self.info("genres-\(version)-\(names.count)-\(text.utf8.count).mp3", Self.id3([frame], version: version) + Self.mp3())
        #expect(info.values("genre").map(String.init) == names)
    }

    // MARK: Limits

    @Test("of many values of a field 1,024 are kept, and the other fields are read")
    func many() throws {
        let values = (0..<2000).map { "v\($0)" }
        let frames = [Self.frame("TXXX", Self.text(["many"] + values)), Self.frame("TPE1", Self.text(Self.names))]
        let info = try Self.info("many.mp3", Self.id3(frames.reversed()) + Self.mp3())
        #expect(info.values("artist").map(String.init) == Self.names)
        // The limit counts the values of all fields.
        #expect(info.values("many").map(String.init) == Array(values.prefix(1024 - 4)))
    }

    @Test("a long text, a compressed one and chapters in chapters are left to FFmpeg, and the texts after them are read")
    func leftOut() throws {
        var chapters: [UInt8] = []
        for _ in 0..<2000 { chapters = Self.frame("CHAP", Array("c\0".utf8) + [UInt8](repeating: 0, count: 16) + chapters) }
        let compressed = Array("TALB".utf8) + [0, 0, 0, 6] + [0, 9, 0, 0, 0, 1] + [1, 2]
        let long = Self.frame("TXXX", Self.text(["long", String(repeating: "a", count: 70_000)]))
        let info = try Self.info("left.mp3", Self.id3([chapters, long, compressed, Self.frame("TPE1", Self.text(Self.names))]) + Self.mp3())
        #expect(info.values("artist").map(String.init) == Self.names && info.tag("long") == nil)
    }

    @Test("pictures in the tags and long items are skipped, and the items after them are read", arguments: ["APEv2", "MP4"])
    func skipped(_ kind: String) throws {
        let large = [UInt8](repeating: 0xFF, count: 5 << 20)
        let long = String(repeating: "a", count: 70_000)
        let bytes: [UInt8]
        if kind == "MP4" {
            let picture = Self.box("covr", Self.box("data", [0, 0, 0, 13, 0, 0, 0, 0] + large))
            bytes = try Self.mp4(picture + Self.item("©wrt", [long]) + Self.item("©ART", Self.names))
        } else {
            let items = [
                ReplayGainTagTests.item("Cover Art (Front)", large, flags: 2), ReplayGainTagTests.item("Composer", Array(long.utf8)),
                ReplayGainTagTests.item("Artist", Array(Self.names.joined(separator: "\0").utf8)),
            ]
            bytes = try Self.mp3() + ReplayGainTagTests.tag(items)
        }
        let info = try Self.info("skipped.\(Self.ending(kind))", bytes)
        #expect(info.values("artist").map(String.init) == Self.names && info.tag("composer") == nil)
    }
}
