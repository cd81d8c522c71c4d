import Testing

@testable import PlaybackEngine

/// The formats of playlist files.
@Suite struct PlaylistFileTests {
    private func read(_ text: String, _ format: PlaylistFile.Format) -> [String] {
        PlaylistFile(Array(text.utf8), format: format).lines.map { $0.location + ($0.title.map { "|" + $0 } ?? "") }
    }

    @Test("an M3U file has locations, titles and comments, with any ends of lines")
    func m3u() {
        #expect(
            read("\u{FEFF}#EXTM3U\r\n#EXTINF:12, A title, long \r\na.flac\r\n\r\n#PLAYLIST:x\n  b c.mp3  \r#EXTINF:-1,\nc", .m3u) == [
                "a.flac|A title, long", "b c.mp3", "c",
            ])
        #expect(read("", .m3u) == [] && read("#EXTINF:1,no location", .m3u) == [])
    }

    @Test("a PLS file is ordered by its numbers")
    func pls() {
        #expect(
            read("[playlist]\nFile2=b.mp3\nTitle1=First\nfile1=http://a/1\nNumberOfEntries=2\nFile99999999999=x\nFile=y\nFile3=\n", .pls) == [
                "http://a/1|First", "b.mp3",
            ])
    }

    @Test("a location has the number of its line, with any ends of lines")
    func numbers() {
        let lines = PlaylistFile(Array("\n#EXTM3U\r\n\r\na\rb\n\n \nc".utf8), format: .m3u).lines
        #expect(lines.map(\.location) == ["a", "b", "c"] && lines.map(\.number) == [4, 5, 8])
        #expect(PlaylistFile(Array("[playlist]\nFile2=b\n\nFile1=a".utf8), format: .pls).lines.map(\.number) == [4, 2])
    }

    @Test("text that is not UTF-8 is windows-1252, from which the bytes of a path are found again (Encoding Standard, 4.2)")
    func eightBits() {
        let name: [UInt8] = [0x92, 0x63, 0xE9, 0x80, 0x81]
        let lines = PlaylistFile(Array("#EXTINF:3,Don".utf8) + [0x92, 0x74, 0x20, 0x96, 0x0A] + name, format: .m3u).lines
        #expect(lines.map(\.location) == ["’cé€\u{81}"] && lines.map(\.title) == ["Don’t –"] && lines.map(\.originalBytes) == [name])
    }

    @Test("a description of one stream is not a list")
    func stream() {
        #expect(PlaylistFile(Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts".utf8), format: .m3u).isStream)
        #expect(!PlaylistFile(Array("#EXTM3U\na.ts".utf8), format: .m3u).isStream)
    }

    @Test(
        "the extension of a name tells the format",
        arguments: [("a.M3U", true), ("a.m3u8", true), ("a.pls", true), (".pls", false), ("pls", false), ("a.m3u.flac", false)])
    func names(_ name: String, _ isList: Bool) { #expect((PlaylistFile.Format(name: name) != nil) == isList) }
}
