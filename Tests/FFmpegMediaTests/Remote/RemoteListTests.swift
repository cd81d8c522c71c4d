import FFmpegMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// Playlists that are opened like media, and contents that are no media.
@Suite("Playlists and other contents")
struct RemoteListTests {
    private func server(_ text: String, ranges: Bool = true) throws -> MediaServer {
        try MediaServer { _ in .bytes(Array(text.utf8), ranges: ranges) }
    }

    @Test("a playlist of a server is recognised by its content, whatever its name, and its entries are in the error", arguments: [true, false])
    func remote(_ ranges: Bool) throws {
        let server = try server("[playlist]\nFile1=http://a.example/\nTitle1=T\nFile2=b\n", ranges: ranges)
        defer { server.stop() }
        let error = Reading.failure(server.url("/listen.mp3?x=1"))
        #expect(error?.code == .unsupportedFormat && error?.message == "The address is a playlist (PLS), not a medium.")
        #expect(error?.list?.lines.map(\.location) == ["http://a.example/", "b"] && error?.list?.lines.first?.title == "T")
        #expect(error?.list?.base == .remote(url: server.url("/listen.mp3?x=1"), isPublic: false) && error?.list?.media == nil)
        #expect(server.requests.count == 1)
    }

    @Test("the address of a playlist is the one after redirects, with the user of the same server")
    func redirected() throws {
        let server = try MediaServer { request in
            request.target == "/a/list"
                ? .raw("HTTP/1.1 302 Found\r\nLocation: /b/list.m3u\r\nContent-Length: 0\r\n\r\n")
                : .bytes(Array("#EXTM3U\na.mp3".utf8), ranges: true)
        }
        defer { server.stop() }
        let list = Reading.failure("http://user:word@127.0.0.1:\(server.port)/a/list")?.list
        #expect(list?.base == .remote(url: "http://user:word@127.0.0.1:\(server.port)/b/list.m3u", isPublic: false))
    }

    @Test("the stated content type decides only for a text without a mark")
    func contentType() throws {
        func server(_ text: String) throws -> MediaServer {
            try MediaServer { _ in
                .raw("HTTP/1.1 200 OK\r\nContent-Type: audio/x-mpegurl; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
        let names = try server("one\ntwo\n")
        defer { names.stop() }
        #expect(Reading.failure(names.url("/x"))?.list?.lines.map(\.location) == ["one", "two"])
        let page = try server("<html><body>x</body></html>")
        defer { page.stop() }
        #expect(Reading.failure(page.url("/x"))?.message == "The address is a web page (HTML), not a medium.")
    }

    @Test(
        "a content that is no medium is named for what it is, with a stable reason",
        arguments: [
            ("<!DOCTYPE html><html></html>", "a web page (HTML)"), ("{\"error\":404}", "a JSON document"), ("Not found", "a text"),
            ("%PDF-1.4 x", "a PDF document"),
        ])
    func foreign(_ text: String, _ name: String) throws {
        let server = try server(text)
        defer { server.stop() }
        let error = Reading.failure(server.url("/song.mp3"))
        #expect(error == PlaybackError(.unsupportedFormat, "The address is \(name), not a medium.", reason: .notMedium))
        #expect(error?.list == nil)
    }

    @Test("the segments of an HLS stream are no media of a list (R-HLS-01)")
    func liveStreaming() throws {
        let server = try server("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n/segment.ts\n#EXT-X-ENDLIST\n")
        defer { server.stop() }
        let error = Reading.failure(server.url("/list.m3u8"))
        #expect(error?.code == .unsupportedFormat && error?.list == nil)
        #expect(server.requests.map(\.target) == ["/list.m3u8", "/segment.ts"])
    }

    @Test("an endless playlist is read up to its largest size")
    func endless() throws {
        let text = Array("#EXTM3U\n".utf8) + [UInt8](repeating: 0x23, count: PlaylistFile.maximumSize + 1_000_000)
        let server = try MediaServer { _ in .bytes(text, ranges: false) }
        defer { server.stop() }
        #expect(Reading.failure(server.url("/list.m3u"))?.message == "The playlist has more than 4 MiB.")
    }

    @Test("a playlist with too many entries, without entries or with a document type is refused with its reason")
    func refused() throws {
        let texts = [
            ("#EXTM3U\n" + String(repeating: "a\n", count: PlaylistFile.maximumCount + 1), "The playlist has more than 10000 entries."),
            ("#EXTM3U\n# nothing\n", "The playlist (M3U) has no entries."),
            ("<!DOCTYPE asx [<!ENTITY a 'b'>]><asx/>", "The playlist declares a document type (DTD), which is not accepted."),
        ]
        for (text, message) in texts {
            let server = try server(text)
            defer { server.stop() }
            #expect(Reading.failure(server.url("/list"))?.message == message)
            #expect(Reading.failure(server.url("/list"))?.list == nil)
        }
    }

    @Test("a playlist file is recognised by its content, whatever its name")
    func file() throws {
        let url = try BadInputTests.file("list.mp3", Array("#EXTM3U\n#EXTINF:1,T\na.mp3\n".utf8))
        let error = Reading.failure(MediaSource(.file(path: url.path)))
        #expect(error?.message == "The file is a playlist (M3U), not a medium.")
        #expect(error?.list?.base == .file(FilePath(url.path)) && error?.list?.lines.map(\.location) == ["a.mp3"])
    }

    @Test("the first bytes of a medium that cannot seek are delivered exactly once")
    func medium() throws {
        let bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .bytes(bytes, ranges: false) }
        defer { server.stop() }
        #expect(try Reading.samples(RemoteTests.open(server.url("/a.flac"))) == RemoteTests.source)
        #expect(server.requests.count == 1)
    }
}
