import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Playlists of radio stations over a real connection.
    @Suite("Playlists of stations", .serialized)
    struct StationListTests {
        private let stage: MediaStage
        private var folder: MediaFolder { stage.folder }
        private var daemon: Daemon { stage.daemon }
        private var media: FaultServer { stage.media }

        init() throws {
            stage = try MediaStage(["--retry-time", "2"])
            try stage.makeStation()
        }

        private func write(_ text: String, to name: String) throws {
            try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        }

        private var station: String { media.url("station.mp3", "station=2048&rate=40000&burst=60000") }

        @Test("a station's playlist plays its second entry if the first is dead, and the request gets the one that plays")
        func fallsOver() throws {
            try write(
                "[playlist]\nFile1=\(media.url("none.mp3"))\nTitle1=Dead\nFile2=\(station)\nTitle2=Alive\nNumberOfEntries=2\n", to: "listen.pls")
            let item = try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url("listen.pls"), "play": true])
            #expect(item["url"] as? String == station && item["title"] as? String == "Alive" && item["status"] as? String == "readyToPlay")
            try eventually("the station plays") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            let queue = try #require(try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]])
            #expect(queue.map { $0["url"] as? String } == [media.url("none.mp3"), station])
            #expect((queue.first?["error"] as? [String: Any])?["code"] as? String == "fileNotFound")
        }

        @Test("a local playlist file plays like one of a server, and cannot lead out of the media roots")
        func local() throws {
            try write("#EXTM3U\n/etc/passwd\n#EXTINF:4,Noise\nnoise.wav\n", to: "list.m3u")
            let item = try daemon.client.command("PUT", "/player/item?wait=20", ["url": folder.path + "/list.m3u", "play": true])
            #expect(item["url"] as? String == folder.url("noise.wav") && item["title"] as? String == "Noise")
        }

        @Test("a playlist of a server that names a file, and a web page, are refused with the reason")
        func refused() throws {
            try write("#EXTM3U\nfile://\(folder.path)/noise.wav\n", to: "file.m3u")
            let list = try daemon.client.send("PUT", "/api/v1/player/item?wait=20", json: ["url": media.url("file.m3u"), "play": true])
            let error = list.json["error"] as? [String: Any]
            #expect(error?["code"] as? String == "unsupportedScheme")
            try write("<!DOCTYPE html><html><body>Listen!</body></html>", to: "page")
            let page = try daemon.client.send("PUT", "/api/v1/player/item?wait=20", json: ["url": media.url("page")])
            let reason = page.json["error"] as? [String: Any]
            #expect(reason?["code"] as? String == "unsupportedFormat" && reason?["reason"] as? String == "notMedium")
            #expect(reason?["message"] as? String == "The address is a web page (HTML), not a medium.")
        }
    }
}
