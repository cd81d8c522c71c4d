import PlaybackEngine
import Testing

@testable import RemoteControl

/// The locations of playlist files.
@Suite struct PlaylistLineTests {
    @Test(
        "a location is a URL only with a scheme and two slashes, or if it begins with file:",
        arguments: [
            ("http://a/b", "http"), ("HTTPS://a", "https"), ("file:/a", "file"), ("FILE:a", "file"), ("ftp://a", "ftp"), ("Artist: Song.mp3", nil),
            ("C:\\a.mp3", nil), ("a:b", nil), ("http:/a", nil), ("/a://b", nil), ("a b://c", nil), ("://a", nil),
        ] as [(String, String?)])
    func schemes(_ location: String, _ scheme: String?) { #expect(PlaylistFile.Line(location: location).scheme == scheme) }

    @Test("a location with a zero byte names no file")
    func zero() throws {
        let folder = try AbsolutePath("/music")
        for location in ["a\0b", "file:///music/a\0b"] {
            #expect(throws: Problem.self) { try PlaylistFile.Line(location: location).path(below: folder) }
        }
        #expect(try PlaylistFile.Line(location: "../a: b").path(below: folder)?.text == "/a: b")
    }

    @Test("a path in XSPF and ASX is percent-encoded, a path in M3U and PLS is not")
    func encoding() throws {
        let folder = try AbsolutePath("/music")
        #expect(try PlaylistFile.Line(location: "a%20b.mp3", isReference: true).path(below: folder)?.text == "/music/a b.mp3")
        #expect(try PlaylistFile.Line(location: "a%20b.mp3").path(below: folder)?.text == "/music/a%20b.mp3")
        #expect(try PlaylistFile.Line(location: "100%.mp3", isReference: true).path(below: folder)?.text == "/music/100%.mp3")
    }

    @Test(
        "a location in a playlist of a server is resolved against the playlist's URL",
        arguments: [
            ("b.mp3", "http://u:p@h:8/x/b.mp3"), ("../b.mp3", "http://u:p@h:8/b.mp3"), ("/b", "http://u:p@h:8/b"),
            ("../../../b", "http://u:p@h:8/b"), ("./a/./../b", "http://u:p@h:8/x/b"), ("//other/b", "http://other/b"),
            ("?c=d", "http://u:p@h:8/x/l.pls?c=d"),
            ("http://o/c", "http://o/c"), ("HTTPS://o/c", "HTTPS://o/c"), ("sub\\b.mp3", "http://u:p@h:8/x/sub/b.mp3"), ("..", "http://u:p@h:8/"),
            ("b?a=../c", "http://u:p@h:8/x/b?a=../c"), ("Artist: Song.mp3", "http://u:p@h:8/x/Artist: Song.mp3"),
        ])
    func references(_ location: String, _ url: String) {
        #expect(PlaylistFile.Line(location: location).url(relativeTo: "http://u:p@h:8/x/l.pls?q=/y") == url)
    }

    @Test("a base in a feed is resolved first, and names no file and no other protocol")
    func base() {
        func url(_ location: String, _ base: String) -> String? {
            PlaylistFile.Line(location: location, base: base).url(relativeTo: "https://h/x/feed.xml")
        }
        #expect(url("1.mp3", "http://b/c/") == "http://b/c/1.mp3" && url("1.mp3", "media/") == "https://h/x/media/1.mp3")
        #expect(url("1.mp3", "file:///etc/") == "https://h/x/1.mp3" && url("file:///etc/passwd", "http://b/") == nil)
    }

    @Test(
        "a playlist of a server names no file and no other protocol",
        arguments: [
            "file:///etc/passwd", "FILE:/etc/passwd", "file:a", "data:audio/mp3;base64,AAAA", "concat:/a|/b", "smb://h/a", "mms://h/a", "C:\\a.mp3",
            "http:a", "subfile:/a", "ftp://h/a", "javascript:a", "pipe:0",
        ])
    func protocols(_ location: String) { #expect(PlaylistFile.Line(location: location).url(relativeTo: "https://h/l.m3u") == nil) }
}
