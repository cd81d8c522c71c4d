import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Clicks", .serialized)
    struct ClickTests {
        enum DeviceKind: CaseIterable {
            /// Mixes a few milliseconds ahead.
            case near
            /// Mixes 200 ms ahead, and takes it back.
            case deep
        }

        @Test("pauses, resumes and seeks leave no step in a tone that is steeper than the tone", arguments: DeviceKind.allCases)
        func steps(device: DeviceKind) throws {
            let folder = try MediaFolder()
            let server = try PrivatePulseServer(device == .deep ? .deep(rate: Noise.rate, channels: 2) : .pipe(rate: Noise.rate, channels: 2))
            defer { server.stop() }
            if device == .near { try server.addListener(milliseconds: 10) }
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            // 220.5 Hz: a period is 200 frames.
            let slope = 16_000 * 2 * Double.pi / 200
            try folder.wav(
                "tone.wav",
                (0..<(60 * Noise.rate)).map { index in
                    let sample = Int16(16_000 * sin(2 * .pi * Double(index) / 200))
                    return Noise.Frame(left: sample, right: sample)
                })
            let item = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("tone.wav"), "play": true])
            try #require(item["status"] as? String == "readyToPlay")
            // The stream has heard of the device's latency when it has asked twice.
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
            let samples = recording.samples(from: start)
            let left = stride(from: 0, to: samples.count - 1, by: 2).map { Int(samples[$0]) }
            let steps = zip(left, left.dropFirst()).map { abs($1 - $0) }
            // A tone from elsewhere may come in the opposite phase, and for 5 ms one fades into the other.
            let clicks = steps.indices.filter { Double(steps[$0]) > 1.5 * slope }
            // Each of the twelve would leave one, were it not for the ramps; a machine that has other things to do just then may be late for some.
            #expect(clicks.count <= 3, "\(clicks.map { "\($0): \(left[$0]), \(left[$0 + 1])" })")
            #expect(left.count { $0 == 0 } > Noise.rate, "nothing was paused")
        }
    }
}
