import Platform
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

    @Test("a line of an M3U file that is not UTF-8 names the file with its bytes, otherwise the file with its characters")
    func bytes() throws {
        let home = try TemporaryDirectory()
        let confinement = try PathConfinement(roots: [home.path])
        let folder = try AbsolutePath(home.path)
        func named(_ line: [UInt8]) throws -> FilePath? {
            try PlaylistFile(line, format: .m3u).lines[0].path(below: folder, in: confinement)?.file
        }
        let latin1 = Array("caf".utf8) + [0xE9] + Array(".mp3".utf8)
        #expect(try named(latin1) == FilePath(home.path + "/café.mp3"))
        try home.file("café.mp3")
        #expect(try named(latin1) == FilePath(home.path + "/café.mp3"))
        try home.file(latin1)
        #expect(try named(latin1) == home.path(latin1))
        let shiftJIS: [UInt8] = [0x93, 0xFA, 0x96, 0x7B, 0x83, 0x5C] + Array(".mp3".utf8)
        try home.file(shiftJIS)
        #expect(try named(shiftJIS) == home.path(shiftJIS))
        #expect(try named(Array("file://\(home.path)/caf%E9.mp3".utf8)) == home.path(latin1))
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

    @Test(
        "a playlist of a server names no file and no other protocol",
        arguments: [
            "file:///etc/passwd", "FILE:/etc/passwd", "file:a", "data:audio/mp3;base64,AAAA", "concat:/a|/b", "smb://h/a", "mms://h/a", "C:\\a.mp3",
            "http:a", "subfile:/a", "ftp://h/a", "javascript:a", "pipe:0",
        ])
    func protocols(_ location: String) { #expect(PlaylistFile.Line(location: location).url(relativeTo: "https://h/l.m3u") == nil) }
}
