import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Chapters and tags of Matroska (RFC 9559)")
struct MatroskaFactsTests {
    private func facts(_ parts: [UInt8]...) throws -> MatroskaFacts {
        let bytes = Elements.file(Elements.info, parts.flatMap(\.self), Elements.tracks, Elements.cluster)
        return try MatroskaScreen(HeadSource(SequentialBytes(bytes)), at: 0).facts
    }

    /// Makes a chapter, whose times are in seconds.
    private func atom(_ title: String, _ start: Double, _ end: Double? = nil, hidden: UInt64? = nil, enabled: UInt64? = nil, _ nested: [UInt8] = [])
        -> [UInt8]
    {
        var content = Elements.number(0x91, UInt64(start * 1e9))
        if let end { content += Elements.number(0x92, UInt64(end * 1e9)) }
        if let hidden { content += Elements.number(0x98, hidden) }
        if let enabled { content += Elements.number(0x4598, enabled) }
        return Elements.element(0xB6, content, Elements.element(0x80, Elements.element(0x85, Array(title.utf8) + [0])), nested)
    }
    private func edition(isDefault: UInt64? = nil, isHidden: UInt64? = nil, _ atoms: [UInt8]...) -> [UInt8] {
        let flags = (isDefault.map { Elements.number(0x45DB, $0) } ?? []) + (isHidden.map { Elements.number(0x45BD, $0) } ?? [])
        return Elements.element(0x45B9, flags, atoms.flatMap(\.self))
    }
    private func titles(_ editions: [UInt8]...) throws -> [String]? {
        try facts(Elements.element(0x1043_A770, editions.flatMap(\.self))).chapters.map { $0.map { String($0.title) } }
    }

    @Test("of several editions, the first visible default one is used, otherwise the first visible one (Matroska control, default edition)")
    func editions() throws {
        let hidden = edition(isDefault: 1, isHidden: 1, atom("hidden", 0)), plain = edition(atom("plain", 0))
        let chosen = edition(isDefault: 1, atom("default", 0))
        #expect(try titles(hidden, plain, chosen, edition(isDefault: 1, atom("second", 0))) == ["default"])
        #expect(try titles(hidden, plain, edition(isDefault: 0, isHidden: 0, atom("other", 0))) == ["plain"])
        #expect(try titles(hidden) == [])
        #expect(try facts().chapters == nil)
    }

    @Test("nested chapters are read; hidden and disabled ones are left out with those nested in them (RFC 9559, section 5.1.7.1.4)")
    func nested() throws {
        let part = atom("Part 1", 0, 2, atom("1.1", 0, 1, atom("1.1.1", 0.5)) + atom("1.2", 1, 2))
        let found = try titles(
            edition(
                part, atom("hidden", 2, hidden: 1, atom("in hidden", 2)), atom("disabled", 2.5, enabled: 0, atom("in disabled", 2.5)),
                atom("Part 2", 2, hidden: 0, enabled: 1)))
        #expect(found == ["Part 1", "1.1", "1.1.1", "1.2", "Part 2"])
    }

    @Test("a chapter without an end lasts until the next one, the last one until the end of the medium")
    func times() throws {
        let text =
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\nEND=1000\ntitle=Two\n"
        let list = try TestMedia.shared.file("facts-chapters.txt") { try Data(text.utf8).write(to: $0) }
        let plain = try TestMedia.shared.encoded(
            MetadataTests.signal, as: "facts-chapters", "mka", ["-i", list.path, "-map", "0:a", "-map_chapters", "1", "-c:a", "flac"])
        // Neither chapter has an end any more: the element is one that no program knows.
        var bytes = try [UInt8](Data(contentsOf: plain))
        let start = try #require(bytes.indices.dropLast(4).last { Array(bytes[$0..<$0 + 4]) == [0x10, 0x43, 0xA7, 0x70] })
        let ends = (start + 1..<start + 200).filter { bytes[$0] == 0x92 && bytes[$0 + 1] & 0xF0 == 0x80 }
        try #require(ends.count == 2)
        for end in ends { bytes[end] = 0x93 }
        let chapters = try Reading.open(DurationTests.file("facts-chapters.mka", bytes)).info.chapters
        #expect(chapters.map(\.title) == ["One", "Two"] && chapters.map(\.start) == [0, 0.4])
        #expect(chapters.first?.end == 0.4 && abs((chapters.last?.end ?? 0) - 1) < 0.01)
    }

    /// Makes a tag with a level and the number of a track, if they are stated.
    private func tag(_ level: UInt64?, track: UInt64? = nil, chapter: UInt64? = nil, _ values: [(String, String)]) -> [UInt8] {
        let stated: [(UInt32, UInt64?)] = [(0x68CA, level), (0x63C5, track), (0x63C4, chapter)]
        let targets = stated.flatMap { id, value in value.map { Elements.number(id, $0) } ?? [] }
        let simple = values.flatMap { name, value in
            Elements.element(0x67C8, Elements.element(0x45A3, Array(name.utf8)), Elements.element(0x4487, Array(value.utf8)))
        }
        return Elements.element(0x7373, Elements.element(0x63C0, targets), simple)
    }
    private func entries(_ tags: [UInt8]...) throws -> [String: OuterText] {
        let entries = try facts(Elements.element(0x1254_C367, tags.flatMap(\.self))).entries
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
    }

    @Test(
        "tags have the meaning of their target: 30 is the track, 50 and none the album (R-ASSET-20)",
        arguments: [nil, 50] as [UInt64?])
    func targets(_ album: UInt64?) throws {
        let found = try entries(
            tag(album, [("TITLE", "Work"), ("ARTIST", "Band"), ("REPLAYGAIN_GAIN", "-12.00 dB"), ("REPLAYGAIN_PEAK", "0.9")]),
            tag(30, [("TITLE", "Song"), ("ARTIST", "Singer"), ("REPLAYGAIN_GAIN", "-6.00 dB"), ("REPLAYGAIN_PEAK", "0.8")]),
            tag(30, chapter: 7, [("TITLE", "Chapter")]))
        let expected: [String: OuterText] = [
            "title": "Song", "artist": "Singer", "album": "Work", "album_artist": "Band", "replaygain_track_gain": "-6.00 dB",
            "replaygain_track_peak": "0.8", "replaygain_album_gain": "-12.00 dB", "replaygain_album_peak": "0.9",
        ]
        #expect(found == expected)
        // A file without tags of a track was tagged without regard to levels.
        #expect(
            try entries(tag(album, [("TITLE", "Song"), ("ARTIST", "Band"), ("ALBUM", "Work")])) == [
                "title": "Song", "artist": "Band", "album": "Work",
            ])
        #expect(try entries(tag(nil, track: 1, [("REPLAYGAIN_GAIN", "-3 dB")])) == ["replaygain_track_gain": "-3 dB"])
    }

    @Test("all values of a tag are read, those of the track if it has any (RFC 9559, section 5.1.8.1.2; R-ASSET-21)")
    func severalValues() throws {
        let tags = [
            tag(50, [("ARTIST", "Band"), ("GENRE", "Rock"), ("GENRE", "Pop"), ("COMPOSER", "One")]),
            tag(30, [("ARTIST", "Alice"), ("ARTIST", "Bob"), ("COMPOSER", "Two"), ("COMPOSER", "Three"), ("LEAD_PERFORMER", "A"), ("MOOD", "calm")]),
        ]
        let entries = try facts(Elements.element(0x1254_C367, tags.flatMap(\.self))).entries
        func values(_ key: String) -> [OuterText] { entries.filter { $0.key == key }.map(\.value) }
        #expect(values("artist") == ["Alice", "Bob"] && values("album_artist") == ["Band"])
        #expect(values("genre") == ["Rock", "Pop"] && values("composer") == ["Two", "Three"])
        // FFmpeg reads single values right.
        #expect(values("mood").isEmpty && values("performer").isEmpty)
    }

    @Test("ReplayGain of the album and of the track are read from a file")
    func replayGain() throws {
        let options = [
            "-metadata", "REPLAYGAIN_GAIN=-12.00 dB", "-metadata:s:a:0", "REPLAYGAIN_GAIN=-6.00 dB", "-metadata", "title=Song", "-c:a", "flac",
        ]
        let info = try Reading.open(TestMedia.shared.encoded(MetadataTests.signal, as: "targets", "mka", options)).info
        #expect(info.tag("replaygain_track_gain") == "-6.00 dB" && info.tag("replaygain_album_gain") == "-12.00 dB")
        #expect(info.tag("replaygain_gain") == nil && info.tag("title") == "Song")
        #expect(Set(info.metadata.map(\.key)).count == info.metadata.count, "each key once")
    }
}
