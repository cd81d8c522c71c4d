import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Plays two halves of one recording as two entries of a queue, through a real PulseAudio server.
    @Suite("Gapless", .serialized)
    struct GaplessTests {
        /// A codec with a container, and the sample rate of its files (Opus has 48 kHz only).
        struct Coding: Sendable, CustomTestStringConvertible {
            var name: String
            var arguments: [String] = []
            var rate = 44_100
            var testDescription: String { name }
        }
        static let codings = [
            Coding(name: "flac"), Coding(name: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "320k"]),
            Coding(name: "m4a", arguments: ["-c:a", "aac", "-b:a", "256k"]), Coding(name: "ogg", arguments: ["-c:a", "libvorbis", "-q:a", "8"]),
            Coding(name: "opus", arguments: ["-c:a", "libopus", "-b:a", "256k"], rate: 48_000),
        ]
        /// The frame at which the recording is cut in two. The number is odd, and no multiple of any codec's frame size.
        private static let cut = 3 * 44_100 + 12_345
        private static let piece = Noise(seconds: 6.5, seed: 11)

        private let folder: MediaFolder

        init() throws { folder = try MediaFolder() }

        /// Starts a sound server with the sample rate `rate`, a recording of its sink, and the program with that server as its output.
        private func start(rate: Int) throws -> (Daemon, PulseRecording, PrivatePulseServer) {
            let server = try PrivatePulseServer(.pipe(rate: rate, channels: 2))
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            return (daemon, try #require(server.recording), server)
        }

        private func play(_ names: [String], on daemon: Daemon) throws {
            let members: [String: Any] = ["entries": names.map { ["url": folder.url($0)] }, "play": true, "keepUnplayable": true]
            let queue = try daemon.client.command("PUT", "/queue", members)
            try #require(queue["count"] as? Int == names.count)
        }

        /// Waits until the queue has ended and all frames have arrived. Returns the complete recording.
        private func heard(_ daemon: Daemon, _ recording: PulseRecording) throws -> Heard {
            try eventually("the queue has ended", within: 30) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            try #require(recording.waitForSilence(of: Noise.rate / 2))
            return Heard(recording.samples())
        }

        private func halves(_ coding: Coding) throws -> [String] {
            let parts = [Self.piece.frames[..<Self.cut], Self.piece.frames[Self.cut...]]
            return try parts.enumerated().map { number, frames in
                let (wave, name) = ("half\(number).wav", "half\(number).\(coding.name)")
                try folder.wav(wave, Array(frames), rate: coding.rate)
                try folder.encode(wave, to: name, coding.arguments)
                return name
            }
        }

        @Test("two halves of a recording join without an added or lost sample (R-QUEUE-06)", arguments: codings)
        func joined(_ coding: Coding) throws {
            let names = try halves(coding)
            let (daemon, recording, server) = try start(rate: coding.rate)
            defer { server.stop() }
            try play(names, on: daemon)
            let heard = try heard(daemon, recording)
            if coding.name == "flac" {
                #expect(heard.soundWithHoles.count == Self.piece.frames.count)
                #expect(SampleComparison.firstDifference(heard.soundWithHoles, Self.piece.frames) == nil)
                return
            }
            let onset = try #require(heard.onset(above: 2_000))
            let before = try #require(position(of: Self.cut - 12_288, in: heard, near: onset + Self.cut - 12_288, reach: 2_500))
            let close = try #require(position(of: Self.cut - 6_144, in: heard, near: before.position + 6_144, reach: 1_500))
            let after = try #require(position(of: Self.cut + 2_048, in: heard, near: before.position + 14_336, reach: 2_500))
            for found in [before, close, after] { #expect(found.likeness > 0.6) }
            #expect(close.position - before.position == 6_144, "before the joint")
            #expect(after.position - before.position == 14_336, "samples added (+) or lost (−): \(after.position - before.position - 14_336)")
        }

        /// Returns the position in the heard frames that is most similar to the 4,096 frames of the source from `start` on, and the similarity (at
        /// most 1); nil if too few frames were heard.
        private func position(of start: Int, in heard: Heard, near: Int, reach: Int) -> (position: Int, likeness: Double)? {
            let source = Self.piece.frames[start..<(start + 4_096)].left
            let low = near - reach
            guard low >= 0, low + 2 * reach + source.count <= heard.frames.count else { return nil }
            let sound = heard.frames[low..<(low + 2 * reach + source.count)].left
            return SampleComparison.place(of: source, in: sound).map { (position: low + $0.lag, likeness: $0.likeness) }
        }

        @Test("items of other rates join without a hole, and the number of frames is the sum of the durations, rounded once")
        func otherRates() throws {
            let noise = Self.piece.frames
            try folder.wav("a.wav", Array(noise[..<44_101]))
            for name in ["b", "c"] { try folder.wav("\(name).wav", Array(noise[50_000..<98_008]), rate: 48_000) }
            try folder.wav("d.wav", Array(noise[100_000..<130_001]))
            let (daemon, recording, server) = try start(rate: 44_100)
            defer { server.stop() }
            try play(["a.wav", "b.wav", "c.wav", "d.wav"], on: daemon)
            let heard = try heard(daemon, recording), sound = heard.soundWithHoles
            let exact = 44_101 + 2 * 48_008 * 44_100.0 / 48_000 + 30_001
            #expect(sound.count == Int(exact.rounded()))
            #expect(SampleComparison.firstDifference(sound, noise[..<44_101]) == nil)
            #expect(SampleComparison.firstDifference(sound.suffix(30_001), noise[100_000..<130_001]) == nil)
            #expect(heard.longestHole < 4)
        }

        @Test("the next item is reported as current when it is heard, not when it is read (R-QUEUE-10)")
        func announced() throws {
            let names = try halves(Self.codings[0])
            let (daemon, recording, server) = try start(rate: 44_100)
            defer { server.stop() }
            let events = try EventListener(port: daemon.port)
            try play(names, on: daemon)
            let heard = try heard(daemon, recording)
            let onset = try #require(heard.onset())
            let arrival = try #require(start(of: recording)) + Double(onset + Self.cut) / 44_100
            let ids = try #require(try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]]).compactMap {
                $0["id"] as? String
            }
            let queue = try #require(events.events("queue").first { $0.object["currentId"] as? String == ids[1] })
            let state = try #require(events.events("state").first { ($0.object["currentItem"] as? [String: Any])?["id"] as? String == ids[1] })
            let ended = try #require(events.events("didPlayToEndTime").first { $0.object["itemId"] as? String == ids[0] })
            // An event for decoded instead of heard audio would be seconds early. A busy machine may delay an event.
            for event in [queue, state, ended] {
                #expect((-0.25..<2).contains(event.arrival - arrival), "\(event.type): \(event.arrival - arrival) s")
            }
            // The anchor of the second item has the host time at which the item's first frame was heard.
            let anchor = try #require(state.object["anchor"] as? [String: Any])
            let hostTime = try #require(anchor["hostTime"] as? Double), time = try #require(anchor["time"] as? Double)
            #expect(abs(hostTime - time - arrival.seconds) < 0.1, "\(hostTime - time - arrival.seconds) s")
        }

        /// Returns the host time of the first recorded frame. The device writes a block when the block's first frame is due, so each block has a
        /// time. The earliest one is used, because a busy machine may delay the device and the recording.
        private func start(of recording: PulseRecording) -> HostTime? {
            let stamps = recording.stamps
            return zip(stamps, stamps.dropFirst()).map { $1.time + -Double($0.frameCount) / 44_100 }.min()
        }

        @Test("an unplayable entry is skipped without a hole, and has an error")
        func passedOver() throws {
            let names = try halves(Self.codings[0])
            try folder.bytes("text.mp3", Array(repeating: Array("This is not music.\n".utf8), count: 500).joined())
            let (daemon, recording, server) = try start(rate: 44_100)
            defer { server.stop() }
            try play([names[0], "missing.flac", "text.mp3", names[1]], on: daemon)
            let sound = try heard(daemon, recording).soundWithHoles
            #expect(sound.count == Self.piece.frames.count)
            #expect(SampleComparison.firstDifference(sound, Self.piece.frames) == nil)
            let entries = try #require(try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]])
            #expect(entries.map { $0["status"] as? String } == ["readyToPlay", "failed", "failed", "readyToPlay"])
            #expect((entries[1]["error"] as? [String: Any])?["code"] as? String == "fileNotFound")
            #expect(((entries[2]["error"] as? [String: Any])?["message"] as? String)?.isEmpty == false)
        }

        @Test("next is heard at once, from the first sample of the next item")
        func next() throws {
            let noise = Self.piece.frames
            try folder.wav("a.wav", Array(noise[..<120_000]))
            try folder.wav("b.wav", Array(noise[130_000..<200_001]))
            let (daemon, recording, server) = try start(rate: 44_100)
            defer { server.stop() }
            try play(["a.wav", "b.wav"], on: daemon)
            try #require(recording.wait { Heard($0.samples()).sound.count > 44_100 / 2 })
            try daemon.client.command("POST", "/queue/next")
            #expect(try daemon.client.send("POST", "/api/v1/queue/next", json: [:]).status == 409)
            let sound = try heard(daemon, recording).sound
            let jump = try #require(SampleComparison.firstDifference(sound, noise))
            #expect(jump > 44_100 / 2 && jump < 120_000)
            // After `next`, the following frames of the old item fade out over 5 ms; up to three of them may be unchanged. Then all frames of the
            // next item are heard.
            let tail = 44_100 / 200
            #expect((70_001 + tail - 3...70_001 + tail).contains(sound.count - jump))
            #expect(SampleComparison.firstDifference(sound.suffix(70_001), noise[130_000..<200_001]) == nil)
        }
    }
}
