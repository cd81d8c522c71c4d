import Foundation
import Testing

@testable import PlaybackEngine

/// The shapes that playlist files have in practice: each is one rule with its example.
@Suite struct PlaylistShapeTests {
    /// A playlist file, and its entries as `location|title|duration`.
    struct Shape: Sendable, CustomTestStringConvertible {
        var rule: String
        var content: [UInt8]
        var format: PlaylistFile.Format
        var entries: [String]
        var testDescription: String { rule }

        init(_ rule: String, _ text: String, _ format: PlaylistFile.Format, _ entries: [String]) {
            self.init(rule, bytes: Array(text.utf8), format, entries)
        }
        init(_ rule: String, bytes: [UInt8], _ format: PlaylistFile.Format, _ entries: [String]) {
            (self.rule, self.format, self.entries) = (rule, format, entries)
            content = bytes
        }
    }

    private static func text(_ line: PlaylistFile.Line) -> String {
        [line.location, line.title ?? "", line.duration.map { "\($0)" } ?? ""].joined(separator: "|").replacing(/\|+$/, with: "")
    }

    @Test("the format is recognised by the content, and the entries are read", arguments: m3u + pls + xspf + asx)
    func shape(_ shape: Shape) {
        #expect(ContentKind(shape.content, isWhole: true) == .list(shape.format))
        #expect(PlaylistFile(shape.content, format: shape.format).lines.map(Self.text) == shape.entries)
    }

    @Test("there are at least sixty shapes")
    func count() { #expect(Self.m3u.count + Self.pls.count + Self.xspf.count + Self.asx.count >= 60) }

    static let m3u: [Shape] = [
        Shape("a header, and a title with a duration", "#EXTM3U\n#EXTINF:123,Artist - Title\na.mp3\n", .m3u, ["a.mp3|Artist - Title|123.0"]),
        Shape("URLs without a header", "http://a/1\nhttps://b/2\n", .m3u, ["http://a/1", "https://b/2"]),
        Shape("one URL alone, without an end of line", "http://radio.example:8000/stream", .m3u, ["http://radio.example:8000/stream"]),
        Shape("paths without a header", "a.mp3\nAlbum/b c.flac\n", .m3u, ["a.mp3", "Album/b c.flac"]),
        Shape("titles without a header", "#EXTINF:5,T\na.mp3", .m3u, ["a.mp3|T|5.0"]),
        Shape("lines that end with CR LF", "#EXTM3U\r\na.mp3\r\nb.mp3\r\n", .m3u, ["a.mp3", "b.mp3"]),
        Shape("lines that end with CR", "#EXTM3U\ra.mp3\rb.mp3", .m3u, ["a.mp3", "b.mp3"]),
        Shape("blank lines and spaces", "\n\n#EXTM3U\n\n   a.mp3 \t\n\n \nb.mp3\n\n", .m3u, ["a.mp3", "b.mp3"]),
        Shape("a byte order mark of UTF-8", "\u{FEFF}#EXTM3U\n#EXTINF:1,Ä\nä.mp3", .m3u, ["ä.mp3|Ä|1.0"]),
        Shape(
            "windows-1252", bytes: Array("#EXTM3U\n#EXTINF:1,".utf8) + [0xC4] + Array("\ncaf".utf8) + [0xE9] + Array(".mp3".utf8), .m3u,
            ["café.mp3|Ä|1.0"]),
        Shape("UTF-16 with a byte order mark", bytes: utf16("#EXTM3U\n#EXTINF:1,Ä\na.mp3"), .m3u, ["a.mp3|Ä|1.0"]),
        Shape("a duration of -1 is unknown", "#EXTM3U\n#EXTINF:-1,Radio\nhttp://a/\n", .m3u, ["http://a/|Radio"]),
        Shape("a duration of 0 is 0", "#EXTM3U\n#EXTINF:0,Radio\nhttp://a/\n", .m3u, ["http://a/|Radio|0.0"]),
        Shape("a decimal duration", "#EXTM3U\n#EXTINF:12.5,T\na.mp3\n", .m3u, ["a.mp3|T|12.5"]),
        Shape("an absurd duration is unknown", "#EXTM3U\n#EXTINF:99999999999999,T\na.mp3\n", .m3u, ["a.mp3|T"]),
        Shape("facts without a comma", "#EXTM3U\n#EXTINF:12\na.mp3\n", .m3u, ["a.mp3||12.0"]),
        Shape("an empty title", "#EXTM3U\n#EXTINF:12,\na.mp3\n", .m3u, ["a.mp3||12.0"]),
        Shape("a title with commas", "#EXTM3U\n#EXTINF:12,A, B, C\na.mp3\n", .m3u, ["a.mp3|A, B, C|12.0"]),
        Shape(
            "attributes with commas", "#EXTM3U\n#EXTINF:-1 tvg-name=\"A, B\" group-title=\"x\",Station, one\nhttp://a/\n", .m3u,
            ["http://a/|Station, one"]),
        Shape("one quote in a title", "#EXTM3U\n#EXTINF:12,The 12\" mix, long\na.mp3\n", .m3u, ["a.mp3|The 12\" mix, long|12.0"]),
        Shape("attributes of the header", "#EXTM3U url-tvg=\"http://x/\" m3uautoload=1\nhttp://a/\n", .m3u, ["http://a/"]),
        Shape("lower-case marks", "#extm3u\n#extinf:1,T\na.mp3\n", .m3u, ["a.mp3|T|1.0"]),
        Shape(
            "lines of other programs are comments",
            "#EXTM3U\n#PLAYLIST:X\n#EXTGRP:g\n#EXTVLCOPT:network-caching=1\n#KODIPROP:a=b\n#EXTINF:1,T\n#EXTALB:x\na.mp3",
            .m3u, ["a.mp3|T|1.0"]),
        Shape("comments before URLs without a header", "# my stations\n#\nhttp://a/\n", .m3u, ["http://a/"]),
        Shape("a title belongs to one entry only", "#EXTM3U\n#EXTINF:1,T\na.mp3\nb.mp3\n", .m3u, ["a.mp3|T|1.0", "b.mp3"]),
        Shape("the last of several titles counts", "#EXTM3U\n#EXTINF:1,T\n#EXTINF:2,U\na.mp3\n", .m3u, ["a.mp3|U|2.0"]),
        Shape("a location in quotes", "#EXTM3U\n\"http://a/b c\"\n", .m3u, ["http://a/b c"]),
        Shape("options of another player after a URL", "#EXTM3U\nhttp://a/b|User-Agent=x\n", .m3u, ["http://a/b"]),
        Shape("a path with a bar", "#EXTM3U\na|b.mp3\n", .m3u, ["a|b.mp3"]),
        Shape("paths of Windows", "#EXTM3U\nC:\\Music\\a.mp3\n..\\b.mp3\n", .m3u, ["C:\\Music\\a.mp3", "..\\b.mp3"]),
        Shape("file URLs", "file:///music/a%20b.mp3\n", .m3u, ["file:///music/a%20b.mp3"]),
        Shape("a list of lists", "#EXTM3U\nb.pls\nhttp://a/c.m3u\n", .m3u, ["b.pls", "http://a/c.m3u"]),
    ]

    static let pls: [Shape] = [
        Shape(
            "two mirrors of a station",
            "[playlist]\nnumberofentries=2\nFile1=http://a/\nTitle1=S (#1)\nLength1=-1\nFile2=http://b/\nTitle2=S (#2)\nLength2=-1\nVersion=2\n",
            .pls,
            ["http://a/|S (#1)", "http://b/|S (#2)"]),
        Shape("a header of other letter case", "[Playlist]\nfile1=http://a/\nTITLE1=T\n", .pls, ["http://a/|T"]),
        Shape("spaces around the equals sign", "[playlist]\nFile1 = http://a/\nTitle1 =  T \nLength1 = 5\n", .pls, ["http://a/|T|5.0"]),
        Shape("no header", "NumberOfEntries=1\nFile1=http://a/\n", .pls, ["http://a/"]),
        Shape("no header and no number", "File1=http://a/\nTitle1=T\n", .pls, ["http://a/|T"]),
        Shape("comments and blank lines before the header", "\n; made by hand\n\n[playlist]\nFile1=http://a/\n", .pls, ["http://a/"]),
        Shape("a wrong number of entries", "[playlist]\nNumberOfEntries=9\nFile1=http://a/\n", .pls, ["http://a/"]),
        Shape(
            "numbers from 0 on, with gaps", "[playlist]\nFile7=http://c/\nFile0=http://a/\nFile3=http://b/\n", .pls,
            ["http://a/", "http://b/", "http://c/"]),
        Shape("numbers with zeros", "[playlist]\nFile01=http://a/\nFile02=http://b/\nTitle02=T\n", .pls, ["http://a/", "http://b/|T"]),
        Shape("an entry without a location", "[playlist]\nFile1=\nTitle1=T\nFile2=http://b/\n", .pls, ["http://b/"]),
        Shape("an equals sign in a URL", "[playlist]\nFile1=http://a/?b=c&d=e\n", .pls, ["http://a/?b=c&d=e"]),
        Shape("a location in quotes", "[playlist]\nFile1=\"http://a/\"\n", .pls, ["http://a/"]),
        Shape("lines that end with CR LF and a byte order mark", "\u{FEFF}[playlist]\r\nFile1=http://a/\r\n", .pls, ["http://a/"]),
        Shape("relative paths", "[playlist]\nFile1=Album/a.mp3\nLength1=240\n", .pls, ["Album/a.mp3||240.0"]),
        Shape(
            "an ASF reference file", "[Reference]\r\nRef1=http://a/?MSWMExt=.asf\r\nRef2=http://b/\r\n", .pls,
            ["http://a/?MSWMExt=.asf", "http://b/"]),
        Shape("a title before its location", "[playlist]\nTitle1=T\nFile1=http://a/\n", .pls, ["http://a/|T"]),
    ]

    static let xspf: [Shape] = [
        Shape(
            "a title with its creator and duration",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList><track><location>http://a/</location><title>T</title><creator>C</creator><duration>1500</duration></track></trackList></playlist>",
            .xspf, ["http://a/|C - T|1.5"]),
        Shape(
            "no XML declaration, several tracks",
            "<playlist version='1'>\n<trackList>\n<track>\n<location>\n  a.mp3\n</location></track><track><location>b.mp3</location></track></trackList></playlist>",
            .xspf, ["a.mp3", "b.mp3"]),
        Shape(
            "the title and location of the playlist itself do not count",
            "<playlist><title>P</title><location>http://p/</location><trackList><track><location>http://a/</location></track></trackList></playlist>",
            .xspf, ["http://a/"]),
        Shape(
            "the elements have a namespace prefix",
            "<x:playlist xmlns:x='http://xspf.org/ns/0/'><x:trackList><x:track><x:location>http://a/</x:location></x:track></x:trackList></x:playlist>",
            .xspf, ["http://a/"]),
        Shape(
            "entities and character references",
            "<playlist><track><location>http://a/?b&amp;c&#x3D;d</location><title>A &lt;B&gt; &#233;</title></track></playlist>", .xspf,
            ["http://a/?b&c=d|A <B> é"]),
        Shape(
            "an ampersand that is not encoded", "<playlist><track><location>http://a/?b=1&c=2</location></track></playlist>", .xspf,
            ["http://a/?b=1&c=2"]),
        Shape(
            "CDATA and comments", "<playlist><!-- <track> --><track><location><![CDATA[http://a/?b&c]]></location><!-- x --></track></playlist>",
            .xspf, ["http://a/?b&c"]),
        Shape(
            "a track without a location", "<playlist><track><title>T</title></track><track><location>b.mp3</location></track></playlist>", .xspf,
            ["b.mp3"]),
        Shape(
            "of several locations the first http URL counts",
            "<playlist><track><location>magnet:x</location><location>http://a/</location></track></playlist>", .xspf, ["http://a/"]),
        Shape(
            "extensions of other programs are ignored",
            "<playlist><track><location>a.mp3</location><extension application='x'><vlc:id>0</vlc:id></extension></track><extension><vlc:item tid='0'/></extension></playlist>",
            .xspf, ["a.mp3"]),
    ]

    static let asx: [Shape] = [
        Shape(
            "upper case, and a title of its own",
            "<ASX VERSION=\"3.0\"><TITLE>P</TITLE><ENTRY><TITLE>T</TITLE><REF HREF=\"http://a/\"/></ENTRY></ASX>", .asx,
            ["http://a/|T"]),
        Shape("letter case that changes", "<Asx version='3'><Entry><Ref Href='http://a/' /></entry></asx>", .asx, ["http://a/"]),
        Shape("an ampersand that is not encoded", "<asx><entry><ref href=\"http://a/?b=1&c=2\"/></entry></asx>", .asx, ["http://a/?b=1&c=2"]),
        Shape("attributes without quotes", "<asx version=3.0><entry><ref href=http://a/b></entry></asx>", .asx, ["http://a/b"]),
        Shape("entries without end tags", "<asx><entry><ref href=\"http://a/\"><entry><ref href=\"http://b/\">", .asx, ["http://a/", "http://b/"]),
        Shape(
            "of several references the first http URL counts", "<asx><entry><ref href=\"mms://a/\"/><ref href=\"http://b/\"/></entry></asx>", .asx,
            ["http://b/"]),
        Shape("a reference to another playlist", "<asx><entryref href=\"b.asx\"/></asx>", .asx, ["b.asx"]),
        Shape("a base for all entries", "<asx><base href=\"http://a/\"/><entry><ref href=\"b.wma\"/></entry></asx>", .asx, ["http://a/b.wma"]),
        Shape(
            "a base for one entry", "<asx><entry><base href=\"http://a/\"/><ref href=\"b\"/></entry><entry><ref href=\"c\"/></entry></asx>", .asx,
            ["http://a/b", "c"]),
        Shape("a duration", "<asx><entry><duration value=\"00:03:20.5\"/><ref href=\"http://a/\"/></entry></asx>", .asx, ["http://a/||200.5"]),
        Shape("UTF-16", bytes: utf16("<asx><entry><title>Ä</title><ref href=\"http://a/\"/></entry></asx>"), .asx, ["http://a/|Ä"]),
        Shape("a comment before the first element", "<!-- x -->\n<asx><entry><ref href=\"http://a/\"/></entry></asx>", .asx, ["http://a/"]),
        Shape(
            "other elements",
            "<asx><param name=\"a\" value=\"b\"/><entry><abstract>x</abstract><banner href=\"p.gif\"/><ref href=\"http://a/\"/></entry></asx>", .asx,
            ["http://a/"]),
    ]

    private static func utf16(_ text: String) -> [UInt8] { [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
}
