import Testing

@testable import PlaybackEngine

/// Playlist files that are made to harm.
@Suite struct HostileListTests {
    @Test("a file with far too many entries is read up to the limit", arguments: [PlaylistFile.Format.m3u, .pls, .xspf, .asx])
    func million(_ format: PlaylistFile.Format) {
        let count = format == .m3u ? 1_000_000 : 20_000
        let text =
            switch format {
            case .m3u: String(repeating: "a\n", count: count)
            case .pls: (0..<count).map { "File\($0)=a\n" }.joined()
            case .xspf: String(repeating: "<track><location>a</location></track>", count: count)
            case .asx: String(repeating: "<entry><ref href=a></entry>", count: count)
            }
        let file = PlaylistFile(Array(text.utf8), format: format)
        #expect(file.isTooLong && file.lines.count <= PlaylistFile.maximumCount)
    }

    @Test("exactly the largest number of entries is not too long")
    func largest() {
        let file = PlaylistFile(Array(String(repeating: "a\n", count: PlaylistFile.maximumCount).utf8), format: .m3u)
        #expect(!file.isTooLong && file.lines.count == PlaylistFile.maximumCount)
    }

    @Test("entities that would expand to gigabytes are not expanded, and nothing of such a file is used")
    func billionLaughs() {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE playlist [<!ENTITY a0 \"ha\">"
        for level in 1...30 { text += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);\">" }
        text += "]><playlist><trackList><track><location>&a30;</location></track></trackList></playlist>"
        for format in [PlaylistFile.Format.xspf, .asx] {
            let file = PlaylistFile(Array(text.utf8), format: format)
            #expect(file.declaresType && file.lines.isEmpty)
        }
    }

    @Test("a long prefix of ASX is ignored, because each location would contain it")
    func longBase() {
        let prefix = "http://h/" + String(repeating: "a", count: 1 << 20), entries = String(repeating: "<entry><ref href=b /></entry>", count: 1000)
        let file = PlaylistFile(Array("<asx><base href=\"\(prefix)\"/>\(entries)</asx>".utf8), format: .asx)
        #expect(file.lines.count == 1000)
        #expect(file.lines.allSatisfy { $0.location == "b" })
    }

    @Test("an external entity is not read")
    func externalEntity() {
        let text = "<!DOCTYPE playlist [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><playlist><track><location>&f;</location></track></playlist>"
        #expect(PlaylistFile(Array(text.utf8), format: .xspf).lines.isEmpty)
        let without = "<playlist><track><location>http://a/&f;</location></track></playlist>"
        #expect(PlaylistFile(Array(without.utf8), format: .xspf).lines.map(\.location) == ["http://a/&f;"])
    }

    @Test(
        "one endless line, tag or text is read in linear time",
        arguments: [
            ("", "a"), ("", "#EXTINF:1,\""), ("#EXTINF:", "\","), ("<playlist><track><location>", "&"), ("<playlist><track ", "a "),
            ("<asx><entry><ref href=", "<"), ("<asx><entry><ref href=\"", "a"), ("<asx>", "<"), ("<asx>", "<!--"), ("<asx>", "<![CDATA["),
            ("<asx><title>", "a</"), ("<asx><entry><title>", "<b>x"), ("<asx>", "&#"),
        ])
    func endless(_ start: String, _ repeated: String) {
        let text = Array((start + String(repeating: repeated, count: (64 << 10) / repeated.utf8.count)).utf8)
        for format in PlaylistFile.Format.allCases { #expect(PlaylistFile(text, format: format).lines.count <= PlaylistFile.maximumCount) }
    }

    @Test("a file that ends anywhere is read without a trap")
    func truncated() {
        let texts = [
            "#EXTM3U\r\n#EXTINF:1 a=\"b\",T\r\nhttp://a/|b\r\n", "[playlist]\nFile1=\"http://a/\"\nTitle1=T\nLength1=1",
            "<?xml?><playlist><!-- x --><track><location><![CDATA[http://a/]]></location><title>&amp;&#x41;</title></track></playlist>",
            "<asx version = \"3\"><entry><base href='http://a/'/><ref href=\"b\"/><duration value=\"1:2:3\"/></entry></asx>",
        ]
        for text in texts {
            for count in 0...text.utf8.count {
                let part = Array(text.utf8.prefix(count))
                _ = ContentKind(part, isWhole: true)
                for format in PlaylistFile.Format.allCases { #expect(PlaylistFile(part, format: format).lines.count <= 4) }
            }
        }
    }

    @Test("any bytes are read without a trap")
    func noise() {
        var state: UInt64 = 42
        let marks = Array("<>&;\"'=/!-[]#\n\r :,".utf8)
        for _ in 0..<300 {
            let bytes = (0..<400).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                let byte = UInt8(truncatingIfNeeded: state >> 33)
                return byte % 3 == 0 ? marks[Int(byte) % marks.count] : byte
            }
            _ = ContentKind(bytes, isWhole: true)
            for format in PlaylistFile.Format.allCases { #expect(PlaylistFile(bytes, format: format).lines.count < 400) }
        }
    }

    @Test("a description of one stream (HLS) is not a list of media")
    func liveStreaming() {
        #expect(PlaylistFile(Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8".utf8), format: .m3u).isStream)
        #expect(PlaylistFile(Array("#EXTM3U\n#ext-x-version:3\na.ts".utf8), format: .m3u).isStream)
    }
}
