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
            let tone = Sound.sine(220, amplitude: 16_384, seconds: 10)
            try folder.wav("tone.wav", channels: [tone, tone], bits: 16, rate: 44_100)
            let server = try PrivatePulseServer(.deep(rate: 44_100, channels: 2))
            defer { server.stop() }
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("tone.wav"), "play": true])
            try #require(recording.wait { $0.peak(from: max(0, $0.frameCount - 256)) > 16_000 })
            let start = recording.frameCount
            for change in 1...40 {
                try daemon.client.command("PATCH", "/player", ["volume": Double(50 - change) / 50])
                pause(0.025)
            }
            // The recording is one second late.
            try #require(recording.wait(forFrameCount: recording.frameCount + 2 * 44_100))
            let frames = Heard(recording.samples(from: start)).frames
            let thirds = frames[...].left.thirdDifferences
            // Without ramps each of the 40 changes is a step of 0.02, with three differences of up to 655. `VolumeStepTests` proves the exact limit of
            // a ramp's steps, 40, in virtual time. The sound server of a busy machine may carry out several of them at once, now and then.
            #expect(thirds[20] < 250, "\(thirds.prefix(24))")
            #expect(try #require(frames[..<8_820].extent).upperBound > 16_380, "the drag begins at full volume")
            let end = try #require(frames.suffix(8_820).extent)
            #expect((3_276...3_278).contains(end.upperBound) && (-3_278 ... -3_276).contains(end.lowerBound), "\(end)")
            #expect(try daemon.client.state()["volume"] as? Double == 0.2)
            // PulseAudio's volumes are cubic: 65,536 times the cube root of 0.2.
            #expect(try server.lists("38326 / ", among: "sink-inputs"))
        }
    }
}
