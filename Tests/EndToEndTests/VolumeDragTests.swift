import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("A drag of the volume", .serialized)
    struct VolumeDragTests {
        @Test("a drag of the volume in 40 changes is heard without steps, and ends exactly at its last value (R-LNX-43)")
        func drag() throws {
            let folder = try MediaFolder()
            // A tone of 220 Hz at half of the full level, whose own third differences are at most 4.
            let tone = (0..<(10 * 44_100)).map { index in
                let sample = Int16((16_384 * sin(2 * .pi * 220 * Double(index) / 44_100)).rounded())
                return Noise.Frame(left: sample, right: sample)
            }
            try folder.wav("tone.wav", tone)
            let server = try PrivatePulseServer(.deep(rate: 44_100, channels: 2))
            defer { server.stop() }
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("tone.wav"), "play": true])
            try #require(recording.wait { $0.samples(from: max(0, $0.frameCount - 256)).contains { abs($0) > 16_000 } })
            let start = recording.frameCount
            for change in 1...40 {
                try daemon.client.command("PATCH", "/player", ["volume": Double(50 - change) / 50])
                pause(0.025)
            }
            // The recording is one second late.
            try #require(recording.wait(forFrameCount: recording.frameCount + 2 * 44_100))
            let samples = recording.samples(from: start)
            let left = stride(from: 0, to: samples.count - 1, by: 2).map { Int(samples[$0]) }
            let thirds = left.indices.dropLast(3).map { abs(left[$0 + 3] - 3 * left[$0 + 2] + 3 * left[$0 + 1] - left[$0]) }.sorted(by: >)
            // Without ramps each of the 40 changes is a step of 0.02, with three differences of up to 655. `VolumeStepTests` proves the exact limit of
            // a ramp's steps, 40, in virtual time. The sound server of a busy machine may carry out several of them at once, now and then.
            #expect(thirds[20] < 250, "\(thirds.prefix(24))")
            #expect(left[..<8_820].contains { $0 > 16_380 }, "the drag begins at full volume")
            let end = left.suffix(8_820)
            #expect((3_276...3_278).contains(end.max() ?? 0) && (-3_278 ... -3_276).contains(end.min() ?? 0), "\(end.max() ?? 0)")
            #expect(try daemon.client.state()["volume"] as? Double == 0.2)
            // PulseAudio's volumes are cubic: 65,536 times the cube root of 0.2.
            #expect(try server.lists("38326 / ", among: "sink-inputs"))
        }
    }
}
