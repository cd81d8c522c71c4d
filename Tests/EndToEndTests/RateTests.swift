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

        private func instant(_ daemon: Daemon) throws -> (time: Double, host: Double) {
            let answer = try daemon.client.send("GET", "/api/v1/player/time").json
            return (try #require(answer["currentTime"] as? Double), try #require(answer["hostTime"] as? Double))
        }

        @Test(
            "a rate set while playing appears in the state, the position and the audio",
            arguments: ["timeDomain", "spectral", "varispeed", "lowQualityZeroLatency"])
        func rates(algorithm: String) throws {
            // The tests' program is a debug build, in which the two better stretchers are too slow for real time while other tests run. For them only
            // the position is checked, on the null output.
            let isHeard = algorithm == "varispeed" || algorithm == "lowQualityZeroLatency"
            let daemon = isHeard ? daemon : try Daemon(serving: ["--media-root", folder.path, "--output", "null"])
            if !isHeard {
                try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "startTime": 30, "play": true])
            }
            for rate in [0.5, 2, 0.03125, algorithm == "varispeed" ? 32 : 3, -1, -2, 1] {
                // The algorithm `lowQualityZeroLatency` supports few rates, and uses the nearest one.
                let snapped = [0.03125: 0.5, 3: 2]
                let expected = algorithm == "lowQualityZeroLatency" ? snapped[rate] ?? rate : rate
                var count = 0
                // The measurement is repeated if the rate is wrong, because a busy machine may cause a stall during it. Each repetition begins with
                // the seek, because at the rate 32 the medium ends within a second. An end sets the rate to 0, so the rate is set again too.
                try eventually("\(algorithm): the position advances at \(expected)", within: 15) { () -> Bool? in
                    try daemon.client.command("POST", "/player/seek", ["time": 30])
                    let state = try daemon.client.command("PATCH", "/player", ["rate": rate, "audioTimePitchAlgorithm": algorithm])
                    #expect(state["rate"] as? Double == rate && state["audioTimePitchAlgorithm"] as? String == algorithm)
                    let isPlaying = try eventually("it plays at \(rate), or the medium has ended", within: 10) { () -> Bool? in
                        if try daemon.client.send("GET", "/api/v1/player/time").json["rate"] as? Double == expected { return true }
                        return try daemon.client.state()["ended"] as? Bool == true ? false : nil
                    }
                    guard isPlaying else { return nil }
                    count = recording.frameCount
                    let first = try instant(daemon)
                    pause(0.5)
                    let second = try instant(daemon)
                    let measured = (second.time - first.time) / (second.host - first.host)
                    return abs(measured / expected - 1) < 0.02 ? true : nil
                }
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
            try eventually("it plays on from the start", within: 5) {
                let time = try daemon.client.time()
                return time > 0.2 && time < 5 ? true : nil
            }
            // Then the item is played to its end, and in reverse from there.
            try daemon.client.command("POST", "/player/seek", ["time": 59.5])
            try eventually("the end is reached", within: 10) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            try daemon.client.command("POST", "/player/play", ["rate": -1])
            try eventually("it plays back from the end", within: 5) {
                let time = try daemon.client.time()
                return time < 59.8 && time > 55 ? true : nil
            }
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
