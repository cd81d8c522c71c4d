import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Clicks", .serialized)
    struct ClickTests {
        enum DeviceKind: CaseIterable {
            /// A device for which the sound server mixes audio a few milliseconds ahead.
            case near
            /// A device for which the sound server mixes audio 200 ms ahead. The server can rewind it: replace audio that it has mixed.
            case deep
        }

        @Test("pauses, resumes and seeks cause no step in a tone that is steeper than the tone", arguments: DeviceKind.allCases)
        func steps(device: DeviceKind) throws {
            let folder = try MediaFolder()
            let server = try PrivatePulseServer(device == .deep ? .deep(rate: Noise.rate, channels: 2) : .pipe(rate: Noise.rate, channels: 2))
            defer { server.stop() }
            if device == .near { try server.addListener(milliseconds: 10) }
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            // The tone has 220.5 Hz, so that a period is exactly 200 frames.
            let slope = 16_000 * 2 * Double.pi / 200
            let tone = Sound.sine(220.5, amplitude: 16_000, seconds: 60)
            try folder.wav("tone.wav", channels: [tone, tone], bits: 16, rate: Noise.rate)
            let item = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("tone.wav"), "play": true])
            try #require(item["status"] as? String == "readyToPlay")
            // The sound server adapts the stream's latency to the device during the first two requests for audio. So the test waits longer than that.
            try #require(recording.wait { Heard($0.samples()).sound.count > 3 * Noise.rate })
            let start = recording.frameCount

            let client = daemon.client
            for turn in 0..<4 {
                try client.command("POST", "/player/pause")
                pause(0.35)
                try client.command("POST", "/player/play")
                pause(0.35)
                try client.command("POST", "/player/seek", ["exactTime": ["value": 500_000 + 123_457 * turn, "timescale": Noise.rate]])
                pause(0.35)
            }
            try client.command("POST", "/player/pause")
            try #require(recording.wait(forFrameCount: recording.frameCount + 2 * Noise.rate))
            let heard = Heard(recording.samples(from: start))
            // After a seek the tone may have the opposite phase. For 5 ms the old audio fades into the new one, so a step may be 1.5 times as steep.
            let clicks = heard.steps(above: 1.5 * slope)
            // Without fades each of the twelve commands would cause a step. Three steps are allowed, because a busy machine may carry out commands
            // late.
            #expect(clicks.count <= 3, "\(clicks.map { "\($0): \(heard.frames[$0].left), \(heard.frames[$0 + 1].left)" })")
            #expect(heard.frames.count - heard.sound.count > Noise.rate, "nothing was paused")
        }

        @Test("pauses on a device that mixes far ahead, resumed at once or later, lose and repeat no sample")
        func pausesFarAhead() throws {
            let folder = try MediaFolder()
            let server = try PrivatePulseServer(.deep(rate: Noise.rate, channels: 2))
            defer { server.stop() }
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            let noise = Noise(seconds: 60, seed: 8)
            try folder.wav("noise.wav", noise.frames)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try #require(recording.wait { Heard($0.samples()).sound.count > Noise.rate })
            var generator = SeededGenerator(seed: 9)
            for _ in 0..<30 {
                try daemon.client.command("POST", "/player/pause")
                pause(Bool.random(using: &generator) ? 0 : Double.random(in: 0...0.3, using: &generator))
                try daemon.client.command("POST", "/player/play")
                pause(Double.random(in: 0.05...0.4, using: &generator))
            }
            try daemon.client.command("POST", "/player/pause")
            try #require(recording.wait(forFrameCount: recording.frameCount + 2 * Noise.rate))
            let sound = Heard(recording.samples()).sound
            // A busy machine causes faults: a resume arrives when PulseAudio's null sink has nothing to read; a command is carried out too late, and
            // frames are lost; or the sink's thread sleeps while the audio is replaced, and the frames of that time are repeated. So three faults are
            // allowed. Without a busy machine there is none.
            let faults = try faults(in: sound, of: noise)
            #expect(faults.count <= 3, "\(faults)")
            let time = try daemon.client.time()
            #expect(abs(Double(sound.count + faults.reduce(0, +)) / Double(Noise.rate) - time) < 0.01)
        }

        /// Returns the number of source frames that are missing at each fault of the heard frames, negative if frames are repeated. Throws an error if
        /// the frames after a fault are not from the source.
        private func faults(in heard: [Noise.Frame], of source: Noise) throws -> [Int] {
            var faults: [Int] = []
            var (heardFrame, sourceFrame) = (0, 0)
            while let same = SampleComparison.firstDifferenceOfSigns(heard[heardFrame...], source.frames[sourceFrame...]) {
                heardFrame += same
                sourceFrame += same
                // A fault is measured by a search for the next 16 heard frames. They match another position by chance in one of 100,000 searches.
                let missing = try #require(
                    source.distance(toSigns: heard[heardFrame...].prefix(16), from: sourceFrame, reach: Noise.rate / 2),
                    "frame \(heardFrame) of what was heard, \(sourceFrame) of the source: \(whereabouts(of: heard[heardFrame...], in: source))")
                faults.append(missing)
                sourceFrame += missing
            }
            return faults
        }

        /// Where the next heard frames are in the source, for a report: the first stretch of 32 frames within the next 4,096 that the source has.
        private func whereabouts(of heard: ArraySlice<Noise.Frame>, in source: Noise) -> String {
            for skipped in stride(from: 0, to: 4096, by: 8) {
                let stretch = heard.dropFirst(skipped).prefix(32)
                guard stretch.count == 32 else { break }
                if let place = source.position(ofSigns: stretch) {
                    return "\(skipped) frames that the source does not have in this order, then its frame \(place)"
                }
            }
            return "frames that the source does not have: \(heard.prefix(32).map { "\($0.left),\($0.right)" })"
        }
    }
}
