import Foundation
import Platform
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// ALSA's own devices, which need no hardware, as the user's configuration of ALSA names them.
    @Suite("On ALSA", .serialized)
    struct ALSATests {
        private let folder: MediaFolder
        private let noise = Noise(seconds: 2, seed: 54)
        /// What the file device has received, in samples of 32 bits.
        private var written: [Int32] {
            get throws { try Data(contentsOf: URL(filePath: folder.file("out.raw"))).withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) } }
        }
        /// A device that writes to a file.
        private var file: String { "{ type file slave.pcm null file \"\(folder.file("out.raw"))\" format raw }" }

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", noise.frames)
        }

        /// Plays the noise to its end on the default device, ends the program, and returns the last signal path.
        private func play(on device: String) throws -> [String: Any] {
            try folder.bytes(".asoundrc", Array("pcm.!default \(device)\n".utf8))
            // Without a card, the program does not know of the device before it opens it.
            let daemon = try Daemon(
                serving: ["--media-root", folder.path, "--output", "alsa"], environment: ["HOME": folder.path], isHeard: false)
            let clock = MonotonicClock(), start = clock.now
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": folder.url("noise.wav"), "play": true])
            let state = try eventually("it has ended") {
                let state = try daemon.client.state()
                return state["ended"] as? Bool == true ? state : nil
            }
            #expect(clock.now - start > 2)
            #expect((state["audioSession"] as? [String: Any])?["silence"] == nil)
            let output = state["output"] as? [String: Any]
            #expect(output?["kind"] as? String == "alsa" && output?["id"] as? String == "default")
            _ = try daemon.end(with: SIGTERM)
            return state["signalPath"] as? [String: Any] ?? [:]
        }

        @Test("a device without a clock plays in real time")
        func null() throws {
            let path = try play(on: "{ type null }")
            #expect(path["verdict"] as? String == "bitPerfect")
        }

        @Test("a device receives each sample once, and no bit differs")
        func exact() throws {
            let path = try play(on: file)
            #expect(path["verdict"] as? String == "bitPerfect")
            let wanted = noise.frames.flatMap { [Int32($0.left) << 16, Int32($0.right) << 16] }
            #expect(try written == wanted)
        }

        @Test("for a device with one rate the player converts, and ALSA does not (R-LNX-41)")
        func otherRate() throws {
            let path = try play(on: "{ type plug slave { pcm \(file) rate 48000 } }")
            #expect(path["verdict"] as? String == "converted" && path["reason"] as? String == "resample")
            #expect((path["output"] as? [String: Any])?["sampleRate"] as? Int == 48_000)
            #expect(try written.count == 2 * noise.frames.count * 48_000 / 44_100)
        }
    }
}
