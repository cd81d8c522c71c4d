import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Stations of a real Icecast server with a real source. They are thorough, because `RadioTests` play the same encodings, titles and outages from
    /// a server of the test kit: Icecast 2.4.4 crashes now and then at the arrival of a source.
    @Suite("Stations of Icecast", .serialized, .enabled(if: TestDepth.isThorough))
    struct IcecastTests {
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let daemon: Daemon
        private let events: EventListener
        private let icecast: Icecast

        init() throws {
            folder = try MediaFolder()
            server = try PrivatePulseServer()
            daemon = try Daemon(serving: ["--output", "pulse"], on: server)
            events = try EventListener(port: daemon.port)
            icecast = try Icecast(in: folder)
        }

        private func play(_ encoding: Icecast.Encoding) throws {
            try icecast.startSource(encoding, title: "First")
            let item = try daemon.client.command("PUT", "/player/item?wait=20", ["url": icecast.url(encoding), "play": true])
            try #require(item["status"] as? String == "readyToPlay" && item["isLive"] as? Bool == true)
            try waitForSound("the station is heard")
        }

        private func waitForSound(_ what: String) throws {
            let recording = try #require(server.recording)
            let start = recording.frameCount
            try eventually(what, within: 30) { recording.peak(from: start) > 1000 ? true : nil }
        }

        private func waitForTitle(_ title: String) throws {
            try eventually("the title \(title) is shown", within: 20) {
                let item = try daemon.client.state()["currentItem"] as? [String: Any]
                return item?["title"] as? String == title && item?["artist"] as? String == "Artist" ? true : nil
            }
        }

        @Test("a station is heard and shows its name and its titles (R-META-01)", arguments: Icecast.Encoding.allCases)
        func station(_ encoding: Icecast.Encoding) throws {
            try play(encoding)
            if encoding.hasOwnTitles {
                try icecast.setTitle("Artist - Next", of: encoding)
                try waitForTitle("Next")
            } else {
                try waitForTitle("First")
            }
            let item = try daemon.client.state()["currentItem"] as? [String: Any]
            #expect(item?["stationName"] as? String == "The Station")
        }

        @Test("a station whose source or server was killed is heard again, and no entry is lost (R-NET-02)", arguments: Icecast.Encoding.allCases)
        func outages(_ encoding: Icecast.Encoding) throws {
            try play(encoding)
            func network() -> Bool { events.events("network").last?.object["network"] != nil }
            icecast.stopSource()
            try eventually("the missing source is reported", within: 20) { network() ? true : nil }
            try icecast.startSource(encoding, title: "Second")
            try eventually("the station is connected again", within: 20) { network() ? nil : true }
            try waitForSound("the station is heard again")

            icecast.stopServer()
            icecast.stopSource()
            try eventually("the missing server is reported", within: 20) { network() ? true : nil }
            try icecast.startServer()
            try icecast.startSource(encoding, title: "Third")
            try eventually("the station is connected again", within: 20) { network() ? nil : true }
            try waitForSound("the station is heard again")
            #expect(events.events("entryFailed").isEmpty && events.events("didPlayToEndTime").isEmpty)
        }
    }
}
