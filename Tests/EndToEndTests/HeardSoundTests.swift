import Foundation
import Platform
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Audio on the device", .serialized)
    struct HeardSoundTests {
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let recording: PulseRecording
        private let daemon: Daemon

        init() throws {
            folder = try MediaFolder()
            server = try PrivatePulseServer()
            recording = try #require(server.recording)
            daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
        }

        private func load(_ name: String, play: Bool = true) throws {
            let item = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url(name), "play": play])
            try #require(item["status"] as? String == "readyToPlay")
        }

        private func waitForEnd(within seconds: Double) throws {
            try eventually("the item has ended", within: seconds) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
        }

        /// Waits until all frames have arrived, and returns the complete recording.
        private func heard() throws -> Heard {
            try #require(recording.waitForSilence(of: Noise.rate / 2))
            return Heard(recording.samples())
        }

        @Test("all samples of a WAV file reach the device unchanged, without others, and its events are sent")
        func wav() throws {
            let noise = Noise(seconds: 4, seed: 1)
            try folder.wav("noise.wav", noise.frames)
            let events = try EventListener(port: daemon.port, query: "?tick=0.5")
            try load("noise.wav")
            try waitForEnd(within: 10)
            let sound = try heard().soundWithHoles
            #expect(sound.count == noise.frames.count)
            #expect(SampleComparison.firstDifference(sound, noise.frames) == nil)

            #expect(events.events.first?.type == "state")
            let ticks = events.events("tick").compactMap { $0.number("currentTime") }
            #expect(ticks.count >= 8)
            #expect(ticks == ticks.sorted())
            #expect(events.events("rateDidChange").first?.number("rate") == 1)
            #expect(events.events("didPlayToEndTime").count == 1)
            let last = try #require(events.events("state").last?.object)
            #expect((last["state"] as? [String: Any] ?? last)["ended"] as? Bool == true)
        }

        @Test("all samples of a FLAC file reach the device unchanged, without others")
        func flac() throws {
            let noise = Noise(seconds: 3, seed: 2)
            try folder.wav("noise.wav", noise.frames)
            try folder.encode("noise.wav", to: "noise.flac")
            try load("noise.flac")
            try waitForEnd(within: 10)
            let sound = try heard().soundWithHoles
            #expect(sound.count == noise.frames.count)
            #expect(SampleComparison.firstDifference(sound, noise.frames) == nil)
        }

        @Test("a mono file is played on both channels, completely and without other samples")
        func mono() throws {
            let noise = Noise(seconds: 2, seed: 4)
            try folder.wav("noise.wav", noise.frames)
            try folder.encode("noise.wav", to: "mono.flac", "-af", "pan=mono|c0=c0")
            try load("mono.flac")
            try waitForEnd(within: 10)
            let sound = try heard().soundWithHoles
            #expect(sound.count == noise.frames.count)
            #expect(SampleComparison.firstDifference(sound, noise.mono.frames) == nil)
        }

        @Test("an MP3 file is played in phase with the encoded audio, from its first sample to its last")
        func mp3() throws {
            // The audio is a tone of rising frequency (a sweep). MP3 preserves it, and it is similar to itself only at the same position.
            let sweep = Sound.sine(300, rise: 900, amplitude: 16_000, seconds: 3)
            try folder.wav("sweep.wav", channels: [sweep, sweep], bits: 16, rate: Noise.rate)
            try folder.encode("sweep.wav", to: "sweep.mp3", "-b:a", "256k")
            try load("sweep.mp3")
            try waitForEnd(within: 10)
            let heard = try heard(), count = heard.frames.count
            let onset = try #require(heard.onset(above: 200))
            // The audio begins at zero, so its first frame cannot be found by its level. Instead the most similar position nearby is used.
            let nearby = heard.frames[max(0, onset - 400)..<min(count, onset + 400 + sweep.count)]
            let best = try #require(SampleComparison.place(of: sweep, in: nearby.left))
            #expect(best.likeness > 0.99)
            let start = nearby.startIndex + best.lag
            // The player trims the encoder's delay and padding, so there is only silence before and after the audio.
            #expect(heard.isSilent(in: 0..<max(0, start - 32)))
            #expect(heard.isSilent(in: (start + sweep.count)..<count))
        }

        @Test("a pause fades to silence, and play fades in and continues with the next sample")
        func pauseAndResume() throws {
            let noise = Noise(seconds: 20, seed: 3)
            try folder.wav("noise.wav", noise.frames)
            try load("noise.wav")
            try #require(recording.wait { Heard($0.samples()).sound.count > Noise.rate })
            try daemon.client.command("POST", "/player/pause")
            // After the response to the pause, frames still arrive: those of the sound server's block, and those in the pipe. The test waits for
            // them.
            let answered = recording.frameCount
            try #require(recording.waitForSilence(of: Noise.rate / 10))
            let quiet = recording.frameCount
            #expect(Heard(recording.samples(from: answered)).sound.count < Noise.rate / 2)
            try #require(recording.wait(forFrameCount: quiet + Noise.rate))
            #expect(Heard(recording.samples(from: quiet)).sound.isEmpty)

            let before = try daemon.client.time()
            try daemon.client.command("POST", "/player/play")
            try #require(recording.wait { Heard($0.samples(from: quiet)).sound.count > Noise.rate })
            try daemon.client.command("POST", "/player/pause")
            let sound = try heard().sound
            #expect(SampleComparison.firstDifferenceOfSigns(sound, noise.frames) == nil)
            // Two pauses and a resume each change the samples of 5 ms by a fade.
            #expect(SampleComparison.differenceCount(sound, noise.frames) <= 3 * (Noise.rate / 200))
            #expect(sound.count > 2 * Noise.rate)
            #expect(before > 0.9)
        }

        @Test("60 or thoroughly 200 random pauses, resumes and volume changes lose and repeat no sample")
        func randomCommands() throws {
            let noise = Noise(seconds: TestDepth.isThorough ? 16 : 6, seed: 4)
            try folder.wav("noise.wav", noise.frames)
            try load("noise.wav")
            var generator = SeededGenerator(seed: 20_261_120)
            for _ in 0..<(TestDepth.isThorough ? 200 : 60) {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: try daemon.client.command("POST", "/player/pause")
                case 1: try daemon.client.command("POST", "/player/play")
                case 2: try daemon.client.command("POST", "/player/toggle")
                default: try daemon.client.command("PATCH", "/player", ["volume": Double.random(in: 0.2...1, using: &generator)])
                }
                pause(Double.random(in: 0...0.15, using: &generator))
            }
            try daemon.client.command("PATCH", "/player", ["volume": 1])
            try daemon.client.command("POST", "/player/play")
            try waitForEnd(within: 60)
            let sound = try heard().sound
            #expect(sound.count == noise.frames.count)
            #expect(SampleComparison.firstDifferenceOfSigns(sound, noise.frames) == nil)
        }

        @Test("an exact seek lands on its sample, and does not change the samples before it", arguments: ["noise.wav", "noise.flac"])
        func seek(name: String) throws {
            let noise = Noise(seconds: 30, seed: 5)
            try folder.wav("noise.wav", noise.frames)
            if name != "noise.wav" { try folder.encode("noise.wav", to: name) }
            try load(name)
            try #require(recording.wait { Heard($0.samples()).sound.count > Noise.rate / 2 })
            let target = 777_777
            let clock = MonotonicClock(), began = clock.now
            let answer = try daemon.client.command("POST", "/player/seek", ["exactTime": ["value": target, "timescale": Noise.rate]])
            #expect(answer["finished"] as? Bool == true)
            #expect(answer["time"] as? Double == Double(target) / Double(Noise.rate))
            pause(1)
            let advance = try daemon.client.time() - Double(target) / Double(Noise.rate)
            #expect(advance > 0 && advance < clock.now - began + 0.1)
            try daemon.client.command("POST", "/player/pause")

            // Without the silence of a sound server that was given no time: an overloaded machine may run it between a flush and the new audio.
            let sound = try heard().sound
            let jump = try #require(SampleComparison.firstDifference(sound, noise.frames), "the seek had no effect")
            #expect(jump > Noise.rate / 2)
            // After the seek, the old audio fades into the new one over 5 ms. Then the target frame and the following frames are heard unchanged,
            // until the pause fades out.
            let ramp = Noise.rate / 200
            let after = sound.dropFirst(jump + ramp)
            let steady = after.dropLast(ramp)
            #expect(SampleComparison.firstDifference(steady, noise.frames[target...]) == nil)
            #expect(steady.count > Noise.rate / 2)
            // The frames of the medium directly before the target are not heard during these 5 ms.
            let blend = sound.dropFirst(jump).prefix(ramp)
            #expect(blend.enumerated().allSatisfy { $1 != noise.frames[target - ramp + $0] })
        }

        @Test("invalid requests get problems and do not affect playback")
        func badRequests() throws {
            let noise = Noise(seconds: 6, seed: 6)
            try folder.wav("noise.wav", noise.frames)
            try folder.bytes("empty.mp3", [])
            try folder.bytes("text.mp3", Array("This is not music.\n".utf8))
            try FileManager.default.createDirectory(atPath: folder.file("directory"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "/etc/passwd")
            try load("noise.wav")
            let client = daemon.client
            let json = ["Content-Type": "application/json"]
            func refused(_ status: Int, _ method: String, _ target: String, _ headers: [String: String], _ body: String, line: Int = #line) throws {
                let answer = try client.send(method, target, headers: headers, body: Array(body.utf8))
                let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
                #expect(answer.status == status, "\(body.prefix(100)): \(answer.text)", sourceLocation: location)
                #expect(answer.headers["content-type"]?.hasPrefix("application/problem+json") == true, sourceLocation: location)
                #expect(answer.json["status"] as? Int == answer.status, sourceLocation: location)
                #expect((answer.json["type"] as? String)?.hasPrefix("/problems/") == true, sourceLocation: location)
            }
            func refusesItem(_ status: Int, _ url: String, line: Int = #line) throws {
                try refused(status, "PUT", "/api/v1/player/item", json, "{\"url\": \"\(url)\"}", line: line)
            }
            try refusesItem(404, folder.url("missing.flac"))
            try refusesItem(422, folder.url("directory"))
            try refusesItem(403, "file:///etc/passwd")
            try refusesItem(403, "\(folder.url(""))../../etc/passwd")
            try refusesItem(403, "\(folder.url(""))%2e%2e/%2e%2e/etc/passwd")
            try refusesItem(403, folder.url("link"))
            try refusesItem(422, "gopher://example.org/")
            try refused(400, "PUT", "/api/v1/player/item", json, "{\"url\": ")
            try refused(400, "PUT", "/api/v1/player/item", json, "{\"url\": 5}")
            try refused(400, "PUT", "/api/v1/player/item", json, "{\"url\": \"a\", \"paly\": true}")
            try refused(415, "PUT", "/api/v1/player/item", ["Content-Type": "text/plain"], "{}")
            try refused(400, "PATCH", "/api/v1/player", json, "{\"volume\": NaN}")
            try refused(400, "PATCH", "/api/v1/player", json, "{\"volume\": 1.5}")
            try refused(400, "PATCH", "/api/v1/player", json, "{\"volumen\": 1}")
            try refused(413, "PATCH", "/api/v1/player", json, "{\"volume\": 1" + String(repeating: " ", count: 10_000_000) + "}")
            try refused(403, "POST", "/api/v1/player/pause", ["Host": "evil.example"], "")
            try refused(403, "POST", "/api/v1/player/pause", ["Origin": "https://evil.example"], "")
            try refused(403, "POST", "/api/v1/player/pause", ["Sec-Fetch-Site": "cross-site"], "")
            try refused(404, "GET", "/api/v1/nothing", [:], "")
            try refused(405, "DELETE", "/api/v1/player", [:], "")
            try waitForEnd(within: 15)
            let sound = try heard().soundWithHoles
            #expect(sound.count == noise.frames.count)
            #expect(SampleComparison.firstDifference(sound, noise.frames) == nil)
        }

        @Test("a file that is not audio becomes a failed item with a readable error, and a seek without an item is refused")
        func failedItems() throws {
            try folder.bytes("empty.mp3", [])
            try folder.bytes("text.mp3", Array(repeating: Array("This is not music.\n".utf8), count: 500).joined())
            let noise = Noise(seconds: 2, seed: 7)
            try folder.wav("noise.wav", noise.frames)
            try folder.encode("noise.wav", to: "whole.flac")
            let whole = try Data(contentsOf: URL(filePath: folder.file("whole.flac")))
            try folder.bytes("truncated.flac", whole.prefix(whole.count / 2))
            #expect(try daemon.client.send("POST", "/api/v1/player/seek", json: ["time": 1]).status == 409)
            for name in ["empty.mp3", "text.mp3"] {
                let answer = try daemon.client.send("PUT", "/api/v1/player/item?wait=10", json: ["url": folder.url(name), "play": true])
                #expect(answer.status == 422, "\(name): \(answer.text)")
                let state = try daemon.client.state()
                let item = try #require(state["currentItem"] as? [String: Any], "\(name)")
                #expect(item["status"] as? String == "failed")
                #expect(((item["error"] as? [String: Any])?["message"] as? String)?.isEmpty == false)
            }
            // The existing part of a truncated file is played. Then the item ends or fails, and the player can still play other items.
            try load("truncated.flac")
            try eventually("the truncated file is over", within: 15) {
                let state = try daemon.client.state()
                let item = state["currentItem"] as? [String: Any]
                return state["ended"] as? Bool == true || item?["status"] as? String == "failed" ? true : nil
            }
            let sound = try heard().sound
            #expect(sound.count > Noise.rate / 2)
            #expect(SampleComparison.firstDifference(sound.prefix(Noise.rate / 2), noise.frames) == nil)
            try load("noise.wav")
            try waitForEnd(within: 10)
            #expect(try heard().sound.suffix(noise.frames.count).elementsEqual(noise.frames))
        }
    }
}
