import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Sets rates and time-pitch algorithms by HTTP, and plays through a real PulseAudio server.
    @Suite("Rates", .serialized)
    struct RateTests {
        private static let noise = Noise(seconds: 60, seed: 31)
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let recording: PulseRecording
        private let daemon: Daemon

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Self.noise.frames)
            server = try PrivatePulseServer()
            recording = try #require(server.recording)
            daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "startTime": 30, "play": true])
        }

        /// Waits until the position advances at a rate: the player says so, and the position is the one that follows from the anchor of the state.
        ///
        /// A busy machine may interrupt playback, and the anchor may change between two requests. So the anchors before and after the position count.
        private func awaitAdvance(_ daemon: Daemon, at rate: Double, _ what: String) throws {
            func anchor() throws -> (time: Double, host: Double, rate: Double)? {
                guard let anchor = try daemon.client.state()["anchor"] as? [String: Any], let time = anchor["time"] as? Double,
                    let host = anchor["hostTime"] as? Double, let rate = anchor["rate"] as? Double
                else { return nil }
                return (time, host, rate)
            }
            try eventually("\(what): it plays at \(rate)") { () -> Bool? in
                let before = try anchor()
                let reading = try daemon.client.send("GET", "/api/v1/player/time").json
                guard reading["rate"] as? Double == rate, let first = before, first.rate == rate, let second = try anchor() else { return nil }
                let time = try #require(reading["currentTime"] as? Double), host = try #require(reading["hostTime"] as? Double)
                // Directly after the anchor, a position that advances at another rate would be nearly the same.
                guard host - first.host > 0.4 else { return nil }
                let errors = [first, second].map { abs($0.time + (host - $0.host) * $0.rate - time) }
                #expect(errors.contains { $0 < 0.02 * max(1, abs(rate)) }, "\(what) \(rate): \(errors) s")
                return true
            }
        }

        @Test(
            "a rate set while playing appears in the state, the position and the audio",
            arguments: ["timeDomain", "spectral", "varispeed", "lowQualityZeroLatency"])
        func rates(algorithm: String) throws {
            // Under a sanitizer the two better stretchers are too slow for real time. For them only the position is checked, on the null output.
            let isHeard = algorithm == "varispeed" || algorithm == "lowQualityZeroLatency"
            let daemon = isHeard ? daemon : try Daemon(serving: ["--media-root", folder.path, "--output", "null"])
            // The noise ten times, so that the medium lasts 17 s even at the rate 32.
            try folder.encode("noise.wav", to: "long.wav", "-af", "aloop=loop=9:size=\(Self.noise.frames.count)")
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("long.wav"), "startTime": 30, "play": true])
            for rate in [0.5, 2, 0.03125, algorithm == "varispeed" ? 32 : 3, -1, -2, 1] {
                // The algorithm `lowQualityZeroLatency` supports few rates, and uses the nearest one.
                let snapped = [0.03125: 0.5, 3: 2]
                let expected = algorithm == "lowQualityZeroLatency" ? snapped[rate] ?? rate : rate
                try daemon.client.command("POST", "/player/seek", ["time": rate > 0 ? 30 : 570])
                let state = try daemon.client.command("PATCH", "/player", ["rate": rate, "audioTimePitchAlgorithm": algorithm])
                #expect(state["rate"] as? Double == rate && state["audioTimePitchAlgorithm"] as? String == algorithm)
                let count = recording.frameCount
                try awaitAdvance(daemon, at: expected, algorithm)
                guard isHeard else { continue }
                try #require(recording.wait { Heard($0.samples(from: count + Noise.rate / 4)).sound.count > Noise.rate / 8 }, "\(algorithm) \(rate)")
            }
        }

        @Test("at rate −1 the samples of the file are played in reverse without a hole, down to its start, where playback stops")
        func backwards() throws {
            try daemon.client.command("POST", "/player/seek", ["time": 3])
            let count = recording.frameCount
            try daemon.client.command("PATCH", "/player", ["rate": -1])
            try eventually("the start is reached", within: 15) { try daemon.client.state()["rate"] as? Double == 0 ? true : nil }
            let state = try daemon.client.state()
            #expect(state["ended"] as? Bool == false)
            #expect(try daemon.client.time() == 0)
            #expect((state["currentItem"] as? [String: Any])?["duration"] as? Double == 60)
            let end = recording.frameCount
            try #require(recording.wait(forFrameCount: end + Noise.rate / 2))
            let heard = Heard(recording.samples(from: count)).soundWithHoles
            // Only the two seconds that are heard last, before the item's start, are compared, because the first samples after a seek fade in.
            let last = Array(heard.suffix(2 * Noise.rate))
            #expect(SampleComparison.firstDifference(last, Array(Self.noise.frames[..<(2 * Noise.rate)].reversed())) == nil)
            try daemon.client.command("POST", "/player/play")
            try eventually("it plays on from the start", within: 30) { try daemon.client.time() > 0.2 ? true : nil }
            #expect(try daemon.client.time() < 30)
            // Then the item is played to its end, and in reverse from there.
            try daemon.client.command("POST", "/player/seek", ["time": 59.5])
            try eventually("the end is reached", within: 10) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            try daemon.client.command("POST", "/player/play", ["rate": -1])
            try eventually("it plays back from the end", within: 30) { try daemon.client.time() < 59.8 ? true : nil }
            #expect(try daemon.client.time() > 30)
        }

        @Test("values out of range are refused with their member, and playback continues")
        func outOfRange() throws {
            for rate in [32.5, -33, 0.03, 1e9] {
                let answer = try daemon.client.send("PATCH", "/api/v1/player", json: ["rate": rate])
                #expect(answer.status == 400)
                #expect(answer.json["pointer"] as? String == "/rate")
            }
            #expect(try daemon.client.send("PATCH", "/api/v1/player", json: ["audioTimePitchAlgorithm": "fast"]).status == 400)
            #expect(try daemon.client.state()["rate"] as? Double == 1)
        }
    }
}
