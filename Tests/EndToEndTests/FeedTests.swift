import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Podcast feeds over a real connection, and in a file.
    @Suite("Podcast feeds", .serialized)
    struct FeedTests {
        private let stage: MediaStage
        private var folder: MediaFolder { stage.folder }
        private var daemon: Daemon { stage.daemon }
        private var media: FaultServer { stage.media }

        init() throws {
            stage = try MediaStage()
            try folder.wav("old.wav", Noise(seconds: 2, seed: 7).frames)
            // The newest entry does not end while a test uses it, however busy the machine is.
            try folder.wav("new.wav", Noise(seconds: 30, seed: 8).frames)
            try run("ffmpeg", ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", folder.file("show.jpg")])
        }

        /// Writes a feed with two entries, the older one first, whose enclosures are relative to the feed.
        private func write(_ name: String, picture: String) throws {
            let text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Show</title>
                <itunes:image href="\(picture)"/>
                <item><title>Old &amp; short</title><pubDate>Wed, 01 Jan 2020 10:00:00 GMT</pubDate><itunes:duration>0:11</itunes:duration>
                <enclosure url="old.wav" type="audio/wav" length="1"/></item>
                <item><title>New</title><pubDate>Thu, 02 Jan 2020 10:00:00 +0100</pubDate><itunes:duration>12</itunes:duration>
                <enclosure url="new.wav" type="audio/wav" length="1"/></item></channel></rss>
                """
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }

        /// Adds a feed to the queue, and returns its entries after the first one plays.
        private func entries(of url: String) throws -> [[String: Any]] {
            try daemon.client.command("POST", "/queue", ["entries": [["url": url]], "play": true])
            try eventually("the first entry plays") {
                let state = try daemon.client.state()
                let item = state["currentItem"] as? [String: Any]
                return item?["title"] as? String == "New" && state["timeControlStatus"] as? String == "playing" ? true : nil
            }
            try eventually("the first entry is heard") { try daemon.client.time() > 0.1 ? true : nil }
            return try #require(try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]])
        }

        private func check(_ entries: [[String: Any]]) {
            #expect(entries.map { $0["title"] as? String } == ["New", "Old & short"])
            #expect(entries.map { $0["publicationDate"] as? String } == ["2020-01-02T09:00:00.000Z", "2020-01-01T10:00:00.000Z"])
            // The duration of the medium replaces the listed one after it was opened.
            #expect(entries.first?["duration"] as? Double == 30)
            #expect([2, 11].contains(entries.last?["duration"] as? Double))
        }

        @Test("a feed of a server becomes its entries, the newest first, with titles, dates, durations and its picture, and the first one plays")
        func remote() throws {
            try write("show.rss", picture: "show.jpg")
            let entries = try entries(of: media.url("show.rss"))
            check(entries)
            #expect(entries.map { $0["url"] as? String } == [media.url("new.wav"), media.url("old.wav")])
            #expect(entries.first?["hasArtwork"] as? Bool == true)
            let id = try #require(entries.first?["id"] as? String)
            let picture = try daemon.client.send("GET", "/api/v1/items/\(id)/artwork")
            #expect(picture.headers["content-type"] == "image/jpeg")
            #expect(Data(picture.body) == (try Data(contentsOf: URL(filePath: folder.file("show.jpg")))))
            let small = try daemon.client.send("GET", "/api/v1/items/\(id)/artwork?size=64")
            #expect(small.status == 200 && small.body.count < picture.body.count)
        }

        @Test("a feed in a file becomes its entries in the same way, and a picture that is missing is no error")
        func local() throws {
            try write("show.rss", picture: media.url("none.jpg"))
            let entries = try entries(of: folder.path + "/show.rss")
            check(entries)
            #expect(entries.map { $0["url"] as? String } == [folder.url("new.wav"), folder.url("old.wav")])
            let id = try #require(entries.first?["id"] as? String)
            #expect(try daemon.client.send("GET", "/api/v1/items/\(id)/artwork").json["type"] as? String == "/problems/artwork-not-found")
            #expect(try daemon.client.state()["timeControlStatus"] as? String == "playing")
        }
    }
}
