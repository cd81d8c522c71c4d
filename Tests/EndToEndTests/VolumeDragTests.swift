import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("A drag of the volume", .serialized)
    struct VolumeDragTests {
        @Test("a drag of the volume in 40 changes is heard as ramps that never rise, and ends exactly at its last value (R-LNX-43)")
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
            // The level of each two periods of the tone, without those in which a busy machine's recording has silence.
            let periods = stride(from: 0, to: left.count - 401, by: 401).map { left[$0..<($0 + 401)] }
            let levels = periods.filter { period in period.count { $0 == 0 } < 20 }.map { $0.max() ?? 0 }
            #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 4 }, "\(levels)")
            // Without ramps only the 41 levels of the changes would be heard, and about one other, where a change falls into a crest of the tone. The
            // sound server of a busy machine may carry out some steps of a ramp at once, so `VolumeStepTests` proves their size in virtual time.
            let between = levels.count { level in !(10...50).contains { abs(level - (16_384 * $0 + 25) / 50) < 20 } }
            #expect(between > 20, "\(levels)")
            #expect(left[..<8_820].contains { $0 > 16_380 }, "the drag begins at full volume")
            let end = left.suffix(8_820)
            #expect((3_276...3_278).contains(end.max() ?? 0) && (-3_278 ... -3_276).contains(end.min() ?? 0), "\(end.max() ?? 0)")
            #expect(try daemon.client.state()["volume"] as? Double == 0.2)
            // PulseAudio's volumes are cubic: 65,536 times the cube root of 0.2.
            #expect(try server.lists("38326 / ", among: "sink-inputs"))
        }
    }
}
