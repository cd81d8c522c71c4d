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

        @Test("pauses fade out and resumes fade in, so that a tone has no step there", arguments: DeviceKind.allCases)
        func steps(device: DeviceKind) throws {
            let folder = try MediaFolder()
            let server = try PrivatePulseServer(device == .deep ? .deep(rate: Noise.rate, channels: 2) : .pipe(rate: Noise.rate, channels: 2))
            defer { server.stop() }
            if device == .near { try server.addListener(milliseconds: 10) }
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            // The tone has 220.5 Hz, so that a period is exactly 200 frames.
            let slope = 16_000 * 2 * Double.pi / 200
            try folder.wav(
                "tone.wav",
                (0..<(60 * Noise.rate)).map { index in
                    let sample = Int16(16_000 * sin(2 * .pi * Double(index) / 200))
                    return Noise.Frame(left: sample, right: sample)
                })
            let item = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("tone.wav"), "play": true])
            try #require(item["status"] as? String == "readyToPlay")
            // The sound server adapts the stream's latency to the device during the first two requests for audio. So the test waits longer than that.
            try #require(recording.wait { Heard($0.samples()).sound.count > 3 * Noise.rate })
            let start = recording.frameCount

            for _ in 0..<4 {
                try daemon.client.command("POST", "/player/pause")
                pause(0.35)
                try daemon.client.command("POST", "/player/play")
                pause(0.35)
            }
            try daemon.client.command("POST", "/player/pause")
            try #require(recording.wait(forFrameCount: recording.frameCount + 2 * Noise.rate))
            let samples = recording.samples(from: start)
            let left = stride(from: 0, to: samples.count - 1, by: 2).map { Int(samples[$0]) }
            let silences = silences(left)
            try #require(silences.count > 1, "nothing was paused")
            // A resume is rendered before the device starts again, so its fade is always heard, however busy the machine is.
            for silence in silences where silence.upperBound + 220 < left.count {
                let onset = left[(silence.upperBound - 1)..<(silence.upperBound + 220)]
                #expect(zip(onset, onset.dropFirst()).allSatisfy { Double(abs($1 - $0)) <= 1.5 * slope }, "\(Array(onset))")
            }
            // The fade of a pause replaces audio that the sound server already has. It may come too late on a busy machine; `PauseTests` proves each
            // fade in virtual time. Without fades no pause could end so: no millisecond of the tone has less than half of the full level.
            let fades = silences.count { $0.lowerBound > 44 && left[($0.lowerBound - 44)..<$0.lowerBound].allSatisfy { abs($0) < 8_000 } }
            #expect(fades > 0)
        }

        /// The ranges of at least 0.1 s without sound.
        private func silences(_ samples: [Int]) -> [Range<Int>] {
            var silences: [Range<Int>] = []
            var start: Int?
            for (index, sample) in samples.enumerated() {
                if sample == 0 {
                    start = start ?? index
                } else {
                    if let begun = start, index - begun >= Noise.rate / 10 { silences.append(begun..<index) }
                    start = nil
                }
            }
            if let begun = start, samples.count - begun >= Noise.rate / 10 { silences.append(begun..<samples.count) }
            return silences
        }

        @Test("pauses on a device that mixes far ahead, resumed at once or later, do not lose or repeat samples each time, and the position is right")
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
            // A fault of the program is heard at each pause. One that the sound server of a busy machine causes is not: a resume arrives when its null
            // sink has nothing to read, or its thread sleeps while the audio is replaced. `RewindingTests` and `SpliceTests` prove each replacement.
            let faults = try faults(in: sound, of: noise.frames)
            #expect(faults.count < 15, "\(faults)")
            let time = try daemon.client.time()
            #expect(abs(Double(sound.count + faults.reduce(0, +)) / Double(Noise.rate) - time) < 0.01)
        }

        /// Returns the number of source frames that are missing at each fault of the heard frames, negative if frames are repeated. Throws an error if
        /// the frames after a fault are not from the source.
        private func faults(in heard: [Noise.Frame], of source: [Noise.Frame]) throws -> [Int] {
            var faults: [Int] = []
            var (heardFrame, sourceFrame) = (0, 0)
            while let same = firstDifferenceOfSigns(heard[heardFrame...], source[sourceFrame...]) {
                heardFrame += same
                sourceFrame += same
                // A fault is measured by a search for the next 16 heard frames. They match another position by chance in one of 100,000 searches.
                let next = heard[heardFrame...].prefix(16)
                let missing = try #require(
                    (1..<Noise.rate / 2).lazy.flatMap { [$0, -$0] }.first {
                        sourceFrame + $0 >= 0 && firstDifferenceOfSigns(next, source[(sourceFrame + $0)...]) == nil
                    }, "frame \(heardFrame) of what was heard, \(sourceFrame) of the source: \(whereabouts(of: heard[heardFrame...], in: source))")
                faults.append(missing)
                sourceFrame += missing
            }
            return faults
        }

        /// Where the next heard frames are in the source, for a report: the first stretch of 32 frames within the next 4,096 that the source has.
        private func whereabouts(of heard: ArraySlice<Noise.Frame>, in source: [Noise.Frame]) -> String {
            for skipped in stride(from: 0, to: 4096, by: 8) {
                let stretch = heard.dropFirst(skipped).prefix(32)
                guard stretch.count == 32 else { break }
                if let place = source.indices.dropLast(32).first(where: { firstDifferenceOfSigns(stretch, source[$0...]) == nil }) {
                    return "\(skipped) frames that the source does not have in this order, then its frame \(place)"
                }
            }
            return "frames that the source does not have: \(heard.prefix(32).map { "\($0.left),\($0.right)" })"
        }
    }
}
