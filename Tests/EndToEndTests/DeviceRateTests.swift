import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Recordings of a real sound server whose device has another sample rate than the media, in 32 bits.
    @Suite("The device's rate, heard", .serialized)
    struct DeviceRateTests {
        private let folder: MediaFolder

        init() throws { folder = try MediaFolder() }

        /// Writes samples of 24 bits to a WAV file of two equal channels.
        private func wave(_ name: String, _ samples: [Int32], rate: Int) throws {
            try folder.wav(name, channels: [samples, samples], bits: 24, rate: rate)
        }

        /// A tone at half of the full level.
        private func tone(_ hertz: Double, rate: Int, seconds: Double) -> [Int32] {
            Sound.sine(hertz, amplitude: 0x1p22, seconds: seconds, sampleRate: rate)
        }

        /// Plays files on a server whose device has the rate `rate`. Returns the recorded samples of the left channel, in 32 bits, and a state while
        /// the last file was current.
        private func play(_ names: [String], on rate: Int) throws -> (samples: [Int32], path: [String: Any]) {
            let server = try PrivatePulseServer(.pipe(rate: rate, channels: 2, isWide: true))
            defer { server.stop() }
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            let recording = try #require(server.recording)
            try daemon.client.command("PUT", "/queue", ["entries": names.map { ["url": folder.url($0)] }, "play": true])
            let path = try eventually("the last file is current", within: 20) {
                let state = try daemon.client.state()
                let isLast = (state["currentItem"] as? [String: Any])?["url"] as? String == folder.url(names[names.count - 1])
                return isLast ? state["signalPath"] as? [String: Any] : nil
            }
            try eventually("the queue has ended", within: 30) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            try #require(recording.waitForSilence(of: rate / 2))
            return (recording.channels()[0], path)
        }

        @Test(
            "a tone keeps its level and its purity on a device of another rate (R-LNX-41)",
            arguments: [(44_100, 48_000, 19_000.0), (48_000, 44_100, 19_000.0)]
                + (TestDepth.isThorough ? [(44_100, 48_000, 997.0), (22_050, 48_000, 9_000.0)] : []))
        func tones(_ from: Int, _ to: Int, _ hertz: Double) throws {
            try wave("tone.wav", tone(hertz, rate: from, seconds: 2), rate: from)
            let (samples, path) = try play(["tone.wav"], on: to)
            let start = try #require(samples.soundRange(above: 1 << 24)).lowerBound
            let second = samples[(start + to / 4)..<(start + to + to / 4)].map { Double($0) * 0x1p-31 }
            let found = Sound.fit(hertz, to: second, sampleRate: to)
            let level = 20 * log10(found.amplitude / 0.5)
            #expect(abs(level) < 0.01, "\(level) dB")
            #expect(found.purity > 130, "\(found.purity) dB")
            #expect(path["verdict"] as? String == "converted" && path["reason"] as? String == "resample")
            #expect((path["device"] as? [String: Any])?["sampleRate"] as? Int == to)
        }

        @Test("no bit of 24 changes at the device's rate, alone and behind an item of another rate (R-LNX-41)", arguments: [false, true])
        func untouched(_ isBehind: Bool) throws {
            let noise = WideNoise(bits: 24, channels: 1, frames: 96_000, seed: 7)
            try wave("same.wav", noise.channels[0], rate: 48_000)
            try wave("other.wav", tone(440, rate: 44_100, seconds: 1), rate: 44_100)
            let (samples, path) = try play(isBehind ? ["other.wav", "same.wav"] : ["same.wav"], on: 48_000)
            let source = noise.wide(0)
            let start = try #require(samples.position(of: source))
            #expect(samples.equalSamples(at: start, source, at: 0) == source.count)
            #expect(path["verdict"] as? String == "bitPerfect" && path["reason"] == nil)
            if isBehind { #expect(samples[(start - 40)..<start].contains { abs($0) > 1 << 20 }, "the items are joined without a gap") }
        }

        @Test("a stream that is moved to a device of another rate continues there, at its position (R-LNX-42)")
        func moved() throws {
            try wave("long.wav", WideNoise(bits: 24, channels: 1, frames: 44_100 * 20, seed: 9).channels[0], rate: 44_100)
            let server = try PrivatePulseServer(modules: ["module-null-sink sink_name=other rate=96000"])
            defer { server.stop() }
            try server.control("set-default-sink", PrivatePulseServer.sinkName)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("long.wav"), "play": true])
            try eventually("it plays") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            func path(_ rate: Int, _ name: String) throws {
                try eventually("the stream has the device's rate") {
                    let state = try daemon.client.state()
                    let output = (state["signalPath"] as? [String: Any])?["output"] as? [String: Any]
                    return output?["sampleRate"] as? Int == rate && (state["output"] as? [String: Any])?["id"] as? String == name ? true : nil
                }
            }
            try path(44_100, PrivatePulseServer.sinkName)
            let before = try daemon.client.time()
            try server.control("move-sink-input", "0", "other")
            try path(96_000, "other")
            #expect(try server.lists("float32le 2ch 96000Hz", among: "sink-inputs"))
            #expect(try daemon.client.time() > before - 0.1)
            let after = try eventually("the position advances") {
                let time = try daemon.client.time()
                return time > before ? time : nil
            }
            #expect(after < before + 8)
            try eventually("it plays on") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
        }
    }
}
