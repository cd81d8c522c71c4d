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
            // A title that is published at its reception follows the first one after a second. `momentOfTitle` compares the titles with the audio.
            #expect(heard[1].time - heard[0].time > 1.5, "\(heard)")
            let state = try daemon.client.state()
            let item = try #require(state["currentItem"] as? [String: Any])
            #expect(item["stationName"] as? String == "Station of the test" && item["artist"] as? String == "Artist")
            #expect(item["isLive"] as? Bool == true)
        }

        @Test("a title is published after its audio begins, and not at its reception two seconds before (R-META-01)")
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
            let onsets = SampleComparison.onsets(result.samples, above: 0.05, after: Noise.rate).map { result.hostTime(of: $0).seconds }
            let delays = heard[1...3].map { title in onsets.map { title.time - $0 }.min { abs($0) < abs($1) } ?? .infinity }
            // A title is never early. The tests of `AVPlayerItem` prove in virtual time that it is not late either; here a busy machine may delay the
            // publication, but not by a second.
            #expect(delays.allSatisfy { (-0.1..<1).contains($0) }, "\(delays) s")
        }

        /// An encoding of a station: the extension of its file, and the options of ffmpeg.
        struct Encoding: CustomTestStringConvertible {
            var name: String
            var options: [String]
            /// Whether titles are between the bytes, and not in the tags of the streams.
            var hasOwnTitles: Bool { name == "mp3" || name == "aac" }
            var testDescription: String { name }
        }

        private static let encodings = [
            Encoding(name: "mp3", options: ["-c:a", "libmp3lame", "-f", "mp3"]), Encoding(name: "aac", options: ["-c:a", "aac", "-f", "adts"]),
            Encoding(name: "ogg", options: ["-c:a", "libvorbis", "-f", "ogg", "-page_duration", "200000"]),
            Encoding(name: "opus", options: ["-c:a", "libopus", "-f", "ogg", "-page_duration", "200000"]),
        ]

        @Test(
            "a station shows its name and its titles, is heard again after an outage, and no entry is lost (R-META-01, R-NET-02)",
            arguments: encodings)
        func encoding(_ encoding: Encoding) throws {
            // Four seconds with the first title, and then others. In Ogg they are two chained streams with their own tags.
            let name = "live.\(encoding.name)"
            let common = ["-ar", "48000", "-b:a", "128k"] + encoding.options
            func tags(_ title: String) -> [String] { encoding.hasOwnTitles ? [] : ["-metadata", "title=\(title)", "-metadata", "artist=Artist"] }
            try folder.encode("noise.wav", to: name, common + tags("First"))
            if !encoding.hasOwnTitles {
                try folder.encode("noise.wav", to: "\(name).1", ["-af", "aloop=loop=4:size=\(4 * Noise.rate)"] + common + tags("Second"))
            }
            let (first, second) = encoding.hasOwnTitles ? ("Title 0", "Title 1") : ("First", "Second")
            // The server is away for 2 s after seven seconds of audio, of which it sends two at once.
            let rate = try Data(contentsOf: URL(filePath: folder.file(name))).count / 4
            let faults = "station=\(encoding.hasOwnTitles ? 2048 : 0)&rate=\(rate)&burst=\(2 * rate)&outage=2&at=\(7 * rate)"
            let item = try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url(name, faults), "play": true])
            try #require(item["status"] as? String == "readyToPlay" && item["isLive"] as? Bool == true)
            #expect(item["stationName"] as? String == "Station of the test")
            if !encoding.hasOwnTitles { #expect(item["title"] as? String == first && item["artist"] as? String == "Artist") }

            func heardTitles() -> [String] { events.events("metadata").compactMap { $0.object["title"] as? String } }
            try eventually("the second title is heard", within: 60) { heardTitles().contains(second) ? true : nil }
            #expect(events.events("metadata").last { $0.object["title"] as? String == second }?.object["artist"] as? String == "Artist")
            try eventually("the missing server is reported", within: 60) {
                events.events("network").contains { $0.object["network"] != nil } ? true : nil
            }
            // The station begins again with the first title, which is published when its audio is heard.
            try eventually("the station is heard again", within: 60) { heardTitles().drop { $0 != second }.contains(first) ? true : nil }
            #expect(events.events("network").last?.object["network"] == nil)
            #expect(events.events("entryFailed").isEmpty && events.events("didPlayToEndTime").isEmpty)
            #expect(try #require(server.recording).peak() > 1000)
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
