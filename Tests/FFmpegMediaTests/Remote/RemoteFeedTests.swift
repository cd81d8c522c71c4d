import FFmpegMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// Podcast feeds that are opened like media.
@Suite("Podcast feeds")
struct RemoteFeedTests {
    private func server(_ text: String, type: String = "text/xml") throws -> MediaServer {
        try MediaServer { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
    }

    private let feed = """
        <?xml version="1.0"?><rss><channel><item><title>Old</title><pubDate>1 Jan 2020 00:00 GMT</pubDate><enclosure url="a.mp3"/></item>
        <item><title>New</title><pubDate>2 Jan 2020 00:00 GMT</pubDate><enclosure url="b.mp3"/></item></channel></rss>
        """

    @Test("a feed of a server is recognised by its content, and its entries are in the error, the newest first")
    func remote() throws {
        let server = try server(feed)
        defer { server.stop() }
        let error = Reading.failure(server.url("/show.mp3"))
        #expect(error?.code == .unsupportedFormat && error?.message == "The address is a podcast feed (RSS), not a medium.")
        #expect(error?.list?.lines.map(\.location) == ["b.mp3", "a.mp3"] && error?.list?.lines.map(\.title) == ["New", "Old"])
        #expect(error?.list?.base == .remote(url: server.url("/show.mp3"), isPublic: false) && error?.list?.format == nil)
        #expect(error?.list?.media == nil && server.requests.count == 1)
    }

    @Test("the content type of a feed decides if its first element is far from its start", arguments: [true, false])
    func contentType(_ isStated: Bool) throws {
        let text = "<!--\(String(repeating: "x", count: ContentKind.sampleSize))-->" + feed.dropFirst(21)
        let server = try server(text, type: isStated ? "application/rss+xml ; charset=utf-8" : "application/xml")
        defer { server.stop() }
        let error = Reading.failure(server.url("/feed"))
        #expect((error?.list?.lines.count ?? 0) == (isStated ? 2 : 0))
        if !isStated { #expect(error?.message == "The address is an XML document, not a medium.") }
    }

    @Test("the base of a feed is its address after redirects")
    func redirected() throws {
        let feed = feed
        let server = try MediaServer { request in
            request.target == "/a/feed"
                ? .raw("HTTP/1.1 302 Found\r\nLocation: /b/feed.xml\r\nContent-Length: 0\r\n\r\n") : .bytes(Array(feed.utf8), ranges: true)
        }
        defer { server.stop() }
        #expect(Reading.failure(server.url("/a/feed"))?.list?.base == .remote(url: server.url("/b/feed.xml"), isPublic: false))
    }

    @Test("a feed without enclosures, a damaged one and one with a document type are refused with their reasons")
    func refused() throws {
        let texts = [
            ("<rss><channel><item/></channel></rss>", FeedError.noEnclosures.message, PlaybackError.Reason.notMedium),
            ("<rss>\n<channel></rss>", "The feed is not well-formed XML: line 2, mismatched tag.", nil),
            ("<!DOCTYPE rss [<!ENTITY a 'b'>]><rss/>", FeedError.declaresType.message, nil),
        ]
        for (text, message, reason) in texts {
            let server = try server(text)
            defer { server.stop() }
            #expect(Reading.failure(server.url("/feed")) == PlaybackError(.unsupportedFormat, message, reason: reason))
        }
    }

    @Test("an endless feed is read up to its largest size")
    func endless() throws {
        let text = Array("<rss>".utf8) + [UInt8](repeating: 0x20, count: Feed.maximumSize + 1_000_000)
        let server = try MediaServer { _ in .bytes(text, ranges: false) }
        defer { server.stop() }
        #expect(Reading.failure(server.url("/feed"))?.message == "The feed has more than 16 MiB.")
    }

    @Test("a file is a feed by its content, whatever its name", arguments: ["show.rss", "show.xml", "show.mp3"])
    func file(_ name: String) throws {
        let url = try BadInputTests.file(name, Array(feed.utf8))
        defer { try? FileManager.default.removeItem(at: url) }
        let error = Reading.failure(MediaSource(.file(path: url.path)))
        #expect(error?.message == "The file is a podcast feed (RSS), not a medium." && error?.list?.base == .file(FilePath(url.path)))
        #expect(error?.list?.lines.count == 2)
    }
}
