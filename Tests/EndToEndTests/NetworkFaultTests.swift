import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Remote media over a server with faults. The recorded audio is compared with the medium: no sample may be lost or repeated.
    @Suite("Faults of media servers", .serialized)
    struct NetworkFaultTests {
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let recording: PulseRecording
        private let daemon: Daemon
        private let media: FaultServer
        private let events: EventListener

        init() throws {
            folder = try MediaFolder()
            server = try PrivatePulseServer()
            recording = try #require(server.recording)
            daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse", "--retry-time", "8"], on: server)
            media = try FaultServer(folder: folder.path)
            events = try EventListener(port: daemon.port)
        }

        /// The states of playback that the player has published, each once in a row: the time control status, and whether the connection is lost.
        private var story: [String] {
            var story: [String] = []
            var (status, isLost) = ("", false)
            for event in events.events where ["state", "network"].contains(event.type) {
                let state = event.object["state"] as? [String: Any] ?? event.object
                isLost = state["network"] != nil
                if let known = state["timeControlStatus"] as? String {
                    status = known.replacing("waitingToPlayAtSpecifiedRate", with: "waiting")
                }
                let text = status + (isLost ? " without server" : "")
                if !status.isEmpty, story.last != text { story.append(text) }
            }
            return story
        }

        /// The states after playback began. Waiting before that is no interruption.
        private var storyAfterStart: [String] { Array(story.drop { !$0.hasPrefix("playing") }) }

        private func waitForEnd(within seconds: Double) throws {
            try eventually("the item has ended", within: seconds) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
        }

        private func heard() throws -> [Noise.Frame] {
            let count = recording.frameCount
            try #require(recording.wait(forFrameCount: count + Noise.rate / 2))
            return Heard(recording.samples()).sound
        }

        /// Plays a medium of noise with faults to its end, and checks that exactly its frames were heard.
        private func check(_ faults: String, seconds: Double = 6, within limit: Double = 40, name: String = "noise.wav") throws {
            let noise = Noise(seconds: seconds, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            if name != "noise.wav" { try folder.encode("noise.wav", to: name) }
            let item = try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url(name, faults), "play": true])
            try #require(item["status"] as? String == "readyToPlay")
            try waitForEnd(within: limit)
            let sound = try heard()
            #expect(sound.count == noise.frames.count, "\(faults): \(sound.count - noise.frames.count) frames too many")
            #expect(firstDifferenceOfSigns(sound, noise.frames) == nil, "\(faults)")
        }

        @Test("a server that is silent for 5 s: playback waits and says why, and continues at the very sample")
        func stall() throws {
            try check("stall=5&at=300000")
            let heal = story.drop { $0 != "playing" }.dropFirst()
            #expect(heal.contains("waiting without server") && heal.contains("playing") && story.last == "paused", "\(story)")
        }

        @Test("a connection that is silent is replaced by a second one, before the buffered audio has been heard (R-NET-04)")
        func parallel() throws {
            try check("pause=60&at=900000", seconds: 12)
            #expect(storyAfterStart.allSatisfy { !$0.hasPrefix("waiting") }, "\(story)")
        }

        /// An outage in the course of the medium. The rate of the server lets the player read what was sent before, because the reset of a connection
        /// discards what was not read.
        private func outage(seconds: Int) -> String { "outage=\(seconds)&at=300000&rate=300000" }

        @Test("a server that is away for 4 s: commands are answered at once meanwhile, and playback continues at the very sample")
        func outage() throws {
            let noise = Noise(seconds: 6, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url("noise.wav", outage(seconds: 4)), "play": true])
            try eventually("playback waits") { story.last == "waiting without server" ? true : nil }
            let clock = MonotonicClock()
            for command in ["pause", "play", "pause", "play"] {
                let start = clock.now
                try daemon.client.command("POST", "/player/\(command)")
                #expect(clock.now - start < 0.1)
            }
            try waitForEnd(within: 30)
            let sound = try heard()
            #expect(sound.count == noise.frames.count)
            #expect(firstDifferenceOfSigns(sound, noise.frames) == nil)
            #expect(events.events("network").first?.object["network"] != nil)
            #expect(events.events("network").last?.object["network"] == nil)
        }

        @Test(
            "faults that heal are not heard",
            arguments: [
                "drop=100000", "noranges=1", "noranges=1&outage=1&at=600000", "signed=1&drop=100000", "longer=5000", "outage=1&at=900000",
            ])
        func healing(_ faults: String) throws {
            try check(faults)
            #expect(storyAfterStart.allSatisfy { !$0.hasPrefix("waiting") }, "\(story)")
        }

        @Test("a server that is busy four times is opened by the fifth attempt")
        func busy() throws {
            try check("busy=4")
            #expect(events.events("entryFailed").isEmpty)
        }

        @Test("a FLAC file over a server that ends each connection after 100 KB loses no sample")
        func flac() throws { try check("drop=100000", name: "noise.flac") }

        @Test("a link at 0.8 × the bit rate: playback waits at most twice")
        func slow() throws {
            try check("rate=141120", seconds: 10, within: 60)
            #expect(story.count { $0 == "waiting" } <= 2, "\(story)")
        }

        @Test("a link at 1.2 × the bit rate: playback waits only at its start")
        func fast() throws {
            try check("rate=211680", seconds: 8, within: 30)
            #expect(story.count { $0 == "waiting" } == 1, "\(story)")
        }

        @Test("a reset connection within a seek is not noticed, and the audio is that of the target")
        func resetSeek() throws {
            let noise = Noise(seconds: 300, seed: 6)
            try folder.wav("noise.wav", noise.frames)
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url("noise.wav", "resetseek=1"), "play": true])
            let landing = try daemon.client.command("POST", "/player/seek", ["time": 290])
            #expect(landing["finished"] as? Bool == true)
            let before = recording.frameCount
            try #require(recording.wait(forFrameCount: before + Noise.rate))
            let sound = Heard(recording.samples(from: before + Noise.rate / 4)).sound.prefix(2000)
            let position = try #require(noise.position(of: sound[...]))
            #expect(position >= 290 * Noise.rate)
        }

        @Test("a medium that changes on the server fails with this reason, and its new content is not played")
        func changed() throws {
            let noise = Noise(seconds: 6, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url("noise.wav", "change=500000"), "play": true])
            let error = try eventually("the item fails", within: 15) { () -> String? in
                ((try daemon.client.state()["currentItem"] as? [String: Any])?["error"] as? [String: Any])?["message"] as? String
            }
            #expect(error == "The medium has changed on the server since playback started.")
            let sound = try heard()
            #expect(firstDifferenceOfSigns(sound, noise.frames) == nil)
            #expect(sound.count > Noise.rate && sound.count < 500_000 / 4)
        }

        @Test("a server that stays away fails the item after the retry time; it keeps its position, and play continues there")
        func givingUp() throws {
            let noise = Noise(seconds: 6, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": media.url("noise.wav", outage(seconds: 14)), "play": true])
            try eventually("the item fails", within: 30) {
                (try daemon.client.state()["currentItem"] as? [String: Any])?["status"] as? String == "failed" ? true : nil
            }
            let time = try daemon.client.time()
            // The last incomplete block of 64 KiB is not decoded before the failure.
            #expect(abs(time - 300_000 / 176_400.0) < 0.4)
            try eventually("the server is back", within: 20) {
                try daemon.client.command("POST", "/player/play")
                pause(1)
                return try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil
            }
            try waitForEnd(within: 20)
            let sound = try heard()
            // Audio that begins inside an item has a lead-in of 5 ms.
            #expect(abs(sound.count - noise.frames.count) < Noise.rate / 200 + 20, "\(sound.count - noise.frames.count) frames too many")
        }

        @Test("in a queue no entry is skipped for an outage that is shorter than the retry time")
        func queue() throws {
            let noise = Noise(seconds: 4, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            let urls = [media.url("noise.wav", outage(seconds: 5)), media.url("noise.wav", "n=2"), media.url("noise.wav", "n=3")]
            try daemon.client.command("PUT", "/queue", ["entries": urls.map { ["url": $0] }, "play": true])
            try waitForEnd(within: 40)
            #expect(events.events("entryFailed").isEmpty)
            #expect(try heard().count == 3 * noise.frames.count)
        }

        @Test("a head at one byte a second does not delay the next item")
        func slowHead() throws {
            let noise = Noise(seconds: 1, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            try daemon.client.command("PUT", "/player/item", ["url": media.url("noise.wav", "slowhead=1"), "play": true])
            pause(1)
            let start = MonotonicClock().now
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": media.url("noise.wav"), "play": true])
            #expect(MonotonicClock().now - start < 1)
        }
    }
}
