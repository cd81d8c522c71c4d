import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Recordings behind PipeWire's pulse server, which most desktops have.
    @Suite("Behind PipeWire", .serialized)
    struct PipeWireTests {
        private let folder: MediaFolder

        init() throws { folder = try MediaFolder() }

        /// Writes noise of 24 bits with a silence on both sides: a pipe that starts may lose its first block.
        private func noise(_ name: String, rate: Int, seconds: Double = 1, seed: UInt64, silence: Double = 0.5) throws -> WideNoise {
            let noise = WideNoise(bits: 24, frames: Int(seconds * Double(rate)), seed: seed)
            let pause = [Int32](repeating: 0, count: Int(silence * Double(rate)))
            try folder.wav(name, channels: noise.channels.map { pause + $0 + pause }, bits: 24, rate: rate)
            return noise
        }

        /// Starts the program on a device, which the variable of all programs for PulseAudio names.
        private func daemon(on server: PipeWireServer, device: String) throws -> Daemon {
            let environment = server.environment.merging(["PULSE_SINK": device]) { _, new in new }
            return try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], environment: environment)
        }

        /// Plays a file to its end, and returns the last signal path, and the left channel that the device received. The device receives silence after
        /// the end, or nothing.
        private func play(_ name: String, on daemon: Daemon, _ recording: PulseRecording) throws -> (path: [String: Any], samples: [Int32]) {
            let before = recording.frameCount
            var path: [String: Any] = [:]
            try daemon.client.command("PUT", "/player/item?wait=20", ["url": folder.url(name), "play": true])
            try eventually("\(name) has ended", within: 30) {
                let state = try daemon.client.state()
                path = state["signalPath"] as? [String: Any] ?? path
                return state["ended"] as? Bool == true ? true : nil
            }
            _ = recording.wait(forFrameCount: recording.frameCount + 24_000, seconds: 1)
            return (path, recording.channels(from: before)[0])
        }

        /// Checks that samples contain the noise, and that no bit differs.
        private func isUnchanged(_ noise: WideNoise, in samples: [Int32]) -> Bool {
            let wanted = noise.wide(0)
            guard let start = samples.position(of: wanted) else { return false }
            return samples.equalSamples(at: start, wanted, at: 0) == wanted.count
        }

        private func rates(_ path: [String: Any]) -> [Int?] {
            ["source", "output", "device"].map { (path[$0] as? [String: Any])?["sampleRate"] as? Int }
        }

        @Test("no bit differs at the rate of the device, and the path is called bit-perfect (R-LNX-41)")
        func unchanged() throws {
            let server = try PipeWireServer(["at48": 48_000])
            let noise = try noise("noise.wav", rate: 48_000, seed: 1)
            let (path, samples) = try play("noise.wav", on: try daemon(on: server, device: "at48"), try #require(server.recordings["at48"]))
            #expect(isUnchanged(noise, in: samples))
            #expect(path["verdict"] as? String == "bitPerfect")
        }

        @Test("an item of another rate is converted by the player, not by PipeWire (R-LNX-41)")
        func converted() throws {
            let server = try PipeWireServer(["at48": 48_000])
            _ = try noise("noise.wav", rate: 44_100, seed: 2)
            let (path, _) = try play("noise.wav", on: try daemon(on: server, device: "at48"), try #require(server.recordings["at48"]))
            #expect(rates(path) == [44_100, 48_000, 48_000])
            #expect(path["verdict"] as? String == "converted" && path["reason"] as? String == "resample")
        }

        @Test("a device of another rate than PipeWire's clock is not called bit-perfect (R-LNX-41)")
        func otherClock() throws {
            let server = try PipeWireServer(["at44": 44_100])
            let noise = try noise("noise.wav", rate: 44_100, seed: 4)
            let (path, samples) = try play("noise.wav", on: try daemon(on: server, device: "at44"), try #require(server.recordings["at44"]))
            #expect(rates(path) == [44_100, 44_100, 44_100])
            #expect(!isUnchanged(noise, in: samples))
            #expect(path["verdict"] as? String == "converted" && path["reason"] as? String == "serverResample")
        }

        @Test("the end of a queue is heard whole, whatever the length (R-END-01)", arguments: [0.5, 1.1])
        func end(_ seconds: Double) throws {
            let server = try PipeWireServer(["at48": 48_000])
            let noise = try noise("noise.wav", rate: 48_000, seconds: seconds, seed: 3, silence: 0)
            let (_, samples) = try play("noise.wav", on: try daemon(on: server, device: "at48"), try #require(server.recordings["at48"]))
            let wanted = noise.wide(0), place = wanted.count - 2000
            let start = try #require(samples.position(of: wanted, at: place))
            #expect(samples.equalSamples(at: start, wanted, at: place) == 2000)
        }
    }
}
