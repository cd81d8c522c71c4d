import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// A radio station over a real connection: a server that repeats an MP3 file in real time, with titles between the bytes.
    @Suite("Radio stations", .serialized)
    struct RadioTests {
        private let stage: MediaStage
        private var folder: MediaFolder { stage.folder }
        private var daemon: Daemon { stage.daemon }
        private var media: FaultServer { stage.media }
        private var events: EventListener { stage.events }
        private var server: PrivatePulseServer { stage.server }

        init() throws {
            stage = try MediaStage()
            try stage.makeStation()
        }

        private var titles: [(title: String, time: Double)] {
            events.events("metadata").compactMap { event in
                guard let title = event.object["streamTitle"] as? String, let time = event.object["hostTime"] as? Double else { return nil }
                return (title, time)
            }
        }

        /// The size of the file that the station repeats, in bytes.
        private func size() throws -> Int { try Data(contentsOf: URL(filePath: folder.path + "/station.mp3")).count }

        @Test("titles arrive when their audio is heard, and not when it was received; the station's name is in the state (R-META-01)")
        func titlesOfStation() throws {
            // The station sends the audio in real time, 3 s ahead. The title changes every 4 s.
            let size = try size()
            let rate = size / 4
            let url = media.url("station.mp3", "station=2048&rate=\(rate)&burst=\(3 * rate)")
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": url, "play": true])
            try eventually("two titles are heard", within: 30) { titles.count >= 3 ? true : nil }
            let heard = titles
            #expect(heard.prefix(3).map(\.title) == ["Artist - Title 0", "Artist - Title 1", "Artist - Title 2"])
            // A title that is published at its reception would follow the first one after a second. A busy machine may delay a title.
            for (title, next) in zip(heard, heard[1...2]) { #expect(abs(next.time - title.time - 4) < 1.5, "\(next.title)") }
            let state = try daemon.client.state()
            let item = try #require(state["currentItem"] as? [String: Any])
            #expect(item["stationName"] as? String == "Station of the test" && item["artist"] as? String == "Artist")
            #expect(item["isLive"] as? Bool == true)
        }

        @Test("a title is published within 100 ms of the moment at which its audio is heard (R-META-01)")
        func momentOfTitle() throws {
            // Each repetition of the file begins with noise after silence, and has another title.
            var frames = Noise(seconds: 1, seed: 5).frames
            frames += [Noise.Frame](repeating: .init(left: 0, right: 0), count: 3 * Noise.rate)
            try folder.wav("noise.wav", frames)
            try folder.encode("noise.wav", to: "station.mp3")
            let rate = try size() / 4
            let recording = try TimedRecording(server)
            let url = media.url("station.mp3", "station=256&rate=\(rate)&burst=\(2 * rate)")
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": url, "play": true])
            // The audio of the last title has not been recorded yet.
            try eventually("five titles are heard", within: 40) { titles.count >= 5 ? true : nil }
            let heard = titles
            let result = try recording.finish()
            // The moments at which noise begins after a second of silence.
            var onsets: [Double] = []
            var lastSound: Int?
            for (index, sample) in result.samples.enumerated() where abs(sample) > 0.05 {
                if index - (lastSound ?? 0) > Noise.rate { onsets.append(result.hostTime(of: index).seconds) }
                lastSound = index
            }
            let delays = heard[1...3].map { title in onsets.map { title.time - $0 }.min { abs($0) < abs($1) } ?? .infinity }
            // A title is never early. A busy machine may delay one of the three.
            #expect(delays.allSatisfy { $0 > -0.1 }, "\(delays) s")
            #expect(delays.sorted()[1] < 0.1, "\(delays) s")
        }

        @Test("a connection that the station ends is made again, and the item does not end")
        func endOfConnection() throws {
            let size = try size()
            let url = media.url("station.mp3", "station=2048&rate=\(size / 4)&burst=\(size / 4)&break=\(size)")
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": url, "play": true])
            try eventually("a title follows the end of the connection", within: 30) { titles.count >= 3 ? true : nil }
            #expect(events.events("didPlayToEndTime").isEmpty && events.events("failedToPlayToEndTime").isEmpty)
            #expect(try daemon.client.state()["rate"] as? Double == 1)
        }
    }
}
