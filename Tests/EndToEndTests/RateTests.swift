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

        /// A reading of the position, and the anchor of the segment of which it is.
        private struct Reading {
            var time, host: Double
            var anchor: [Double?]

            init(_ daemon: Daemon) throws {
                let answer = try daemon.client.send("GET", "/api/v1/player/time").json
                time = try #require(answer["currentTime"] as? Double)
                host = try #require(answer["hostTime"] as? Double)
                let known = try daemon.client.state()["anchor"] as? [String: Any]
                anchor = ["time", "hostTime", "rate"].map { known?[$0] as? Double }
            }
        }

        /// Returns the rate at which the position advances, by two readings in one segment, and the number of frames that were recorded before it.
        ///
        /// If a busy machine interrupts playback, a new segment begins. So two readings of different segments are no measurement of a rate.
        private func measure(_ daemon: Daemon, _ what: String) throws -> (rate: Double, count: Int) {
            try eventually("\(what) without an interruption", within: 60) {
                let count = recording.frameCount
                let first = try Reading(daemon)
                pause(0.4)
                let second = try Reading(daemon)
                // The state has an interruption of the interval after a short time.
                pause(0.1)
                guard first.anchor == second.anchor, try Reading(daemon).anchor == first.anchor else { return nil }
                return ((second.time - first.time) / (second.host - first.host), count)
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
                try eventually("it plays at \(rate)", within: 30) {
                    try daemon.client.send("GET", "/api/v1/player/time").json["rate"] as? Double == expected ? true : nil
                }
                let (measured, count) = try measure(daemon, "\(algorithm): the position advances at \(expected)")
                #expect(abs(measured / expected - 1) < 0.02, "\(algorithm) \(rate): \(measured)")
                guard isHeard else { continue }
                try #require(recording.wait(forFrameCount: count + Noise.rate / 4))
                let heard = Heard(recording.samples(from: count))
                #expect(heard.sound.count * 2 > heard.frames.count, "\(algorithm) \(rate) is heard")
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
            #expect(firstDifference(last, Array(Self.noise.frames[..<(2 * Noise.rate)].reversed())) == nil)
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
