import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Runs the programs of the package `Examples`. As a user's package does, it depends only on Tonearm's product AVFoundation. Its build compiles the
    /// library again; `DocumentationTests` compiles only its sources.
    @Suite("Programs of another package", .serialized, .enabled(if: TestDepth.isThorough))
    struct UserPackageTests {
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let noise = Noise(seconds: 2, seed: 91)

        /// The folder of the built programs. They are built in a scratch folder of their own, because another build may use that of Tonearm's
        /// package.
        private static let programs = Result { () throws -> URL in
            let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let scratch = checkout.appending(path: ".build/examples")
            let build = ["build", "--package-path", checkout.appending(path: "Examples").path, "--scratch-path", scratch.path]
            _ = try run("swift", build)
            return URL(filePath: try run("swift", build + ["--show-bin-path"]).trimmingCharacters(in: .whitespacesAndNewlines))
        }

        init() throws {
            folder = try MediaFolder()
            // Another sink than the recorded one is made the default. So frames are recorded only if the programs obey the variable PULSE_SINK.
            server = try PrivatePulseServer(modules: ["module-null-sink sink_name=other"])
            try server.control("set-default-sink", "other")
            try folder.wav("noise.wav", noise.frames)
        }

        /// Runs a program to its end and returns the lines that it printed.
        private func output(_ program: String, _ arguments: String...) throws -> [String] {
            var environment = ["PULSE_SINK": PrivatePulseServer.sinkName]
            for line in server.environment {
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                environment[parts[0]] = parts[1]
            }
            let text = try run(try Self.programs.get().appending(path: program).path, arguments, environment: environment)
            return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }

        /// Returns the frames that the sink named by PULSE_SINK received.
        private func heard() throws -> ArraySlice<Noise.Frame> {
            let recording = try #require(server.recording)
            try #require(recording.waitForSilence(of: Noise.rate / 2))
            return Heard(recording.samples()).soundWithHoles
        }

        @Test("code of Swift 5 and of Swift 6 builds with the product alone")
        func builds() throws { _ = try Self.programs.get() }

        @Test("a file is played to its end exactly, on the server of PULSE_SERVER and the sink of PULSE_SINK, with its progress")
        func playFile() throws {
            let lines = try output("PlayFile", folder.file("noise.wav"))
            #expect(lines.first == "0:00 / 0:02" && lines.last == "0:02 / 0:02" && lines.contains("0:01 / 0:02"))
            let sound = try heard()
            #expect(sound.count == noise.frames.count && SampleComparison.firstDifference(sound, noise.frames) == nil)
        }

        @Test("a missing file ends the program with the reason")
        func missing() throws {
            #expect { try output("PlayFile", folder.file("missing.wav")) } throws: { "\($0)".contains("There is no such file.") }
        }

        @Test("a queue plays without a gap, and reports the quarters of each item in order")
        func queue() throws {
            let second = Noise(seconds: 2, seed: 92)
            try folder.wav("second.wav", second.frames)
            let lines = try output("QueueWithCues", folder.file("noise.wav"), folder.file("second.wav"))
            #expect(lines.last == "end")
            for name in ["noise.wav", "second.wav"] {
                let own = lines.filter { $0.hasPrefix(name) }.map { $0.dropFirst(name.count + 2) }
                #expect(own.first == "2.0 s" && own.last == "3 of 4" && own.dropFirst().elementsEqual(own.dropFirst().sorted()), "\(lines)")
            }
            let sound = try heard()
            #expect(sound.count == 2 * noise.frames.count && SampleComparison.firstDifference(sound, noise.frames + second.frames) == nil)
        }

        @Test("scrubbing ends exactly at the last position of the finger")
        func scrub() throws {
            let lines = try output("Scrub", folder.file("noise.wav"))
            #expect(lines.count == 1 && lines[0].hasPrefix("150 moves, ") && lines[0].hasSuffix(" seeks, at 1.0 of 2.0 s"), "\(lines)")
        }

        @Test("the example with interruption handling plays normally without interruptions")
        func interruptionAware() throws {
            let lines = try output("InterruptionAware", folder.file("noise.wav"))
            #expect(lines.first == "status: paused" && lines.suffix(3) == ["status: playing", "status: paused", "end"], "\(lines)")
            #expect(try heard().count == noise.frames.count)
        }
    }
}
