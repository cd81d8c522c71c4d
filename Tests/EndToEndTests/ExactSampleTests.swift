import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Recordings of a real sound server in 32 bits: no bit of a medium differs at the device's rate, whatever was done before.
    @Suite("No bit differs at the device's rate", .serialized)
    struct ExactSampleTests {
        private let folder: MediaFolder
        private let sinks: RecordedSinks
        private let daemon: Daemon

        init() throws {
            folder = try MediaFolder()
            // The devices "main" and "second" have the rate of the media, "quick" has another one.
            sinks = try RecordedSinks([.init(name: "main", rate: 48_000), .init(name: "second", rate: 48_000), .init(name: "quick", rate: 96_000)])
            try sinks.server.control("set-default-sink", "main")
            daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: sinks.server)
        }

        /// Writes noise of `seconds` to a WAV file of 48 kHz.
        private func noise(_ name: String, _ bits: Int, seconds: Double, seed: UInt64) throws -> [Int32] {
            let noise = WideNoise(bits: bits, frames: Int(seconds * 48_000), seed: seed)
            try folder.wav(name, channels: noise.channels, bits: bits, rate: 48_000)
            return noise.wide(0)
        }

        private func other(_ name: String, rate: Int = 44_100) throws {
            try folder.wav(name, channels: WideNoise(bits: 16, frames: rate / 3, seed: 77).channels, bits: 16, rate: rate)
        }

        private func play(_ names: String...) throws {
            try daemon.client.command("PUT", "/queue", ["entries": names.map { ["url": folder.url($0)] }, "play": true])
        }

        /// Waits until a device has recorded the end of the queue. Returns the samples of the left channel.
        private func recorded(_ name: String = "main") throws -> [Int32] {
            try eventually("the queue has ended", within: 30) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            try #require(sinks.recording(name).waitForSilence(of: sinks.devices.first { $0.name == name }!.rate / 3))
            return sinks.recording(name).channels()[0]
        }

        private func verdict() throws -> String? { (try daemon.client.state()["signalPath"] as? [String: Any])?["verdict"] as? String }

        /// Waits until a device has recorded `count` samples that are not silent.
        private func wait(_ name: String = "main", forSamples count: Int) throws {
            let recording = sinks.recording(name)
            let start = recording.frameCount
            try #require(recording.wait(forFrameCount: start + count))
        }

        private func waitForSound(_ name: String) throws {
            try #require(sinks.recording(name).wait { $0.channels(from: max(0, $0.frameCount - 64))[0].soundRange() != nil })
        }

        @Test("no bit differs before an item of another rate (R-LNX-41)", arguments: [16, 24])
        func beforeAnotherRate(_ bits: Int) throws {
            let source = try noise("same.wav", bits, seconds: 0.5, seed: 1)
            try other("other.wav")
            try play("same.wav", "other.wav", "same.wav")
            let heard = try recorded()
            let first = try #require(heard.position(of: source))
            #expect(heard.equalSamples(at: first, source, at: 0) == source.count)
            #expect(heard[(first + source.count)..<(first + source.count + 48)].contains { abs($0) > 1 << 24 }, "the items are joined without a gap")
            let second = try #require(heard.position(of: source, from: first + source.count))
            #expect(heard.equalSamples(at: second, source, at: 0) == source.count)
            #expect(try verdict() == "bitPerfect")
        }

        @Test("no bit differs after a seek (R-LNX-41, R-SEEK-01)", arguments: [16, 24])
        func afterSeeks(_ bits: Int) throws {
            let source = try noise("long.wav", bits, seconds: 6, seed: 2)
            try play("long.wav")
            try waitForSound("main")
            let targets = [100_003, 12_345, 200_001, 270_007]
            let recording = sinks.recording("main")
            for target in targets {
                let before = recording.frameCount
                try daemon.client.command("POST", "/player/seek", ["exactTime": ["value": target, "timescale": 48_000]])
                try #require(
                    recording.wait { _ in
                        let heard = recording.channels(from: before)[0]
                        return heard.position(of: source, at: target).map { heard.equalSamples(at: $0, source, at: target) > 2_400 } ?? false
                    }, "the audio from \(target) on is heard")
            }
            let heard = try recorded()
            var start = 0
            for (number, target) in targets.enumerated() {
                let found = try #require(heard.position(of: source, at: target, from: start), "the frame of seek \(number) is heard")
                let count = heard.equalSamples(at: found, source, at: target)
                // The next seek ends the audio of this one. The last one is played to the end.
                #expect(number < targets.count - 1 ? count > 2_400 : count == source.count - target, "seek \(number): \(count) equal samples")
                start = found + count
            }
        }

        @Test("no bit differs after pauses (R-LNX-41)", arguments: [16, 24])
        func afterPauses(_ bits: Int) throws {
            let source = try noise("long.wav", bits, seconds: 2, seed: 3)
            try play("long.wav")
            try waitForSound("main")
            for _ in 0..<3 {
                try daemon.client.command("POST", "/player/pause")
                try #require(sinks.recording("main").waitForSilence(of: 960))
                try daemon.client.command("POST", "/player/play")
                try waitForSound("main")
                try wait(forSamples: 9_600)
            }
            let heard = try recorded()
            // Each part between two pauses: its first and last 5 ms are fades, and all samples between them are exact.
            let (parts, fade) = (heard.runs(separatedBy: 480), 241)
            try #require(parts.count == 4, "three pauses: \(parts)")
            var heardSamples = 0
            for (number, part) in parts.enumerated() {
                let first = part.lowerBound + (number == 0 ? 0 : fade)
                let last = part.upperBound - (number == parts.count - 1 ? 0 : fade)
                let place = try #require(source.position(of: Array(heard[first..<(first + 16)])))
                #expect(heard.equalSamples(at: first, source, at: place) >= last - first, "part \(number)")
                // Each sample is heard once. A sample that was faded to silence is not part of the run.
                #expect(abs(place - (first - part.lowerBound) - heardSamples) <= number * 2, "part \(number)")
                heardSamples += part.count
            }
            #expect(heardSamples <= source.count && heardSamples >= source.count - 6)
        }

        @Test("no bit differs after a move to another device of the same rate (R-LNX-42)", arguments: [16, 24])
        func afterMove(_ bits: Int) throws {
            let source = try noise("long.wav", bits, seconds: 2, seed: 4)
            try play("long.wav")
            try waitForSound("main")
            try wait(forSamples: 9_600)
            try sinks.server.control("move-sink-input", "0", "second")
            let heard = try recorded("second")
            let first = try #require(heard.soundRange()).lowerBound
            let place = try #require(source.position(of: Array(heard[first..<min(heard.count, first + 16)])))
            #expect(heard.equalSamples(at: first, source, at: place) == source.count - place)
            #expect(place > 4_800 && source.count - place > 24_000, "it was moved while it was played")
            #expect(try verdict() == "bitPerfect")
        }

        @Test("no bit differs after the return from a device of another rate (R-LNX-42)", arguments: [16, 24])
        func afterReturn(_ bits: Int) throws {
            let source = try noise("long.wav", bits, seconds: 4, seed: 5)
            try play("long.wav")
            try waitForSound("main")
            func move(to name: String, _ rate: Int) throws {
                try sinks.server.control("move-sink-input", try stream(), name)
                try eventually("the stream has the device's rate") {
                    let path = try daemon.client.state()["signalPath"] as? [String: Any]
                    return (path?["output"] as? [String: Any])?["sampleRate"] as? Int == rate ? true : nil
                }
            }
            try move(to: "quick", 96_000)
            try wait("quick", forSamples: 19_200)
            #expect(try verdict() == "converted")
            let recording = sinks.recording("main"), count = recording.frameCount
            try move(to: "main", 48_000)
            #expect(try verdict() == "bitPerfect")
            // The recording may be late, so the frames that the device has played by now are in the next two blocks at the latest.
            let blocks = recording.stamps.count
            try #require(recording.wait { $0.stamps.count >= blocks + 2 })
            let reopened = recording.frameCount - count
            let heard = Array(try recorded()[count...])
            // Until the stream is opened again at the device's rate, the server may convert. After that, all samples up to the end are exact, after
            // silence of any length and a lead-in.
            let (end, last) = (try #require(heard.soundRange()).upperBound, try #require(source.soundRange()).upperBound)
            let exact = heard.equalSamples(before: end, source, before: last)
            let leadIn = end - exact - 242
            let isSilent = leadIn <= reopened + 4_800 || Array(heard[(reopened + 4_800)..<leadIn]).soundRange() == nil
            #expect(isSilent, "\(end - exact) samples before the exact ones, opened again after \(reopened)")
            #expect(exact > 24_000, "it was moved while it was played")
        }

        /// Returns the number of the only stream on the server.
        private func stream() throws -> String {
            try eventually("there is one stream") {
                let lines = try run(
                    "pactl", ["list", "short", "sink-inputs"],
                    environment: Dictionary(
                        uniqueKeysWithValues: sinks.server.environment.map {
                            let parts = $0.split(separator: "=", maxSplits: 1).map(String.init)
                            return (parts[0], parts[1])
                        })
                ).split(separator: "\n")
                return lines.count == 1 ? lines[0].split(separator: "\t").first.map(String.init) : nil
            }
        }

        @Test("no bit differs before and after a crossfade (R-LNX-41)", arguments: [16, 24])
        func afterCrossfade(_ bits: Int) throws {
            let (first, second) = (try noise("first.wav", bits, seconds: 0.7, seed: 6), try noise("second.wav", bits, seconds: 0.9, seed: 7))
            try daemon.client.command("PATCH", "/player", ["crossfadeDuration": 0.1])
            try play("first.wav", "second.wav")
            let heard = try recorded()
            let start = try #require(heard.position(of: first))
            #expect(heard.equalSamples(at: start, first, at: 0) >= first.count - 4_800)
            #expect(heard.equalSamples(at: start, first, at: 0) < first.count - 4_000, "the end is mixed")
            let place = 4_801
            let end = try #require(heard.position(of: second, at: place, from: start))
            #expect(end - start == first.count - 4_800 + place, "the overlap has the length of the crossfade")
            #expect(heard.equalSamples(at: end, second, at: place) == second.count - place)
        }
    }
}
