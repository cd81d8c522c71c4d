import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// The command `play` with a host time, on the null output and through a real PulseAudio server.
    @Suite("Starts at a moment", .serialized)
    struct StartMomentTests {
        /// The number of starts in one test.
        private static let starts = TestDepth.isThorough ? 20 : 3
        private let folder: MediaFolder

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 20, seed: 81).frames)
        }

        private func hostTime(_ daemon: Daemon) throws -> Double {
            try #require(try daemon.client.send("GET", "/api/v1/clock").json["hostTime"] as? Double)
        }

        /// Starts the medium several times at a host time. Returns the error of each start, in seconds, computed from the position a second later.
        private func errors(_ daemon: Daemon) throws -> [Double] {
            try (0..<Self.starts).map { _ in
                _ = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": false])
                // A busy machine needs a while to read the start of the medium and to open the output.
                let start = try hostTime(daemon) + 2.5
                let answer = try daemon.client.command("POST", "/player/play", ["hostTime": start])
                let scheduled = try #require((answer["scheduledStart"] as? [String: Any])?["hostTime"] as? Double)
                #expect(abs(scheduled - start) < 1e-6)
                try eventually("the audio is heard") { try hostTime(daemon) > start + 0.6 ? true : nil }
                let time = try daemon.client.send("GET", "/api/v1/player/time").json
                let position = try #require(time["currentTime"] as? Double)
                let host = try #require(time["hostTime"] as? Double)
                _ = try daemon.client.command("POST", "/player/pause", [:])
                return position - (host - start)
            }
        }

        @Test("on the silent output each start is within a millisecond of its host time")
        func silent() throws {
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "null"])
            let errors = try errors(daemon)
            print("starts on the silent output: largest error \((errors.map(abs).max() ?? 0) * 1e6) µs of \(errors.count)")
            #expect(errors.allSatisfy { abs($0) <= 0.001 })
        }

        @Test("through a sound server each start is within a millisecond of its host time")
        func pulse() throws {
            let server = try PrivatePulseServer(.pipe(rate: Noise.rate, channels: 2))
            defer { server.stop() }
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            let errors = try errors(daemon)
            print("starts on the pipe sink: largest error \((errors.map(abs).max() ?? 0) * 1e6) µs of \(errors.count)")
            #expect(errors.allSatisfy { abs($0) <= 0.001 })
        }
    }
}
