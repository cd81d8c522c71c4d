import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Connects many clients to the real program: in a thorough run the number that the contract permits (10,000). `script/bench` measures the time
    /// until the last of them is notified of a change.
    @Suite("Many clients", .serialized)
    struct MultitudeTests {
        /// The smaller number too needs more descriptors than the soft limit of the program.
        private static let count = TestDepth.isThorough ? 10_000 : 500

        @Test("500 or thoroughly 10,000 clients of both transports get every change in order at up to 10 KiB each, with a low soft limit")
        func everyChange() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 60, seed: 3).frames)
            let server = try PrivatePulseServer()
            defer { server.stop() }
            let daemon = try Daemon(
                serving: ["--output", "pulse", "--media-root", folder.path], on: server, descriptors: TestDepth.isThorough ? 1024 : 256)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try eventually("it plays", within: 10) { try daemon.client.time() > 0.2 ? true : nil }
            let before = try daemon.memory()

            let clients = try Multitude(port: daemon.port, count: Self.count, rounds: 4)
            let connected = try clients.connected()
            // Memory that the program needs once, for threads and buffers, counts only if there are few clients.
            let once = TestDepth.isThorough ? 0 : 4 << 20
            let memory = try daemon.memory() - before
            #expect(memory <= once + connected * 10 << 10, "\(memory / connected) bytes each")
            let outcome = try clients.run()
            #expect(outcome.clients == connected)
            #expect(outcome.complete == connected)
            #expect(outcome.closed == 0)
            let metrics = try #require(String(bytes: try daemon.client.send("GET", "/metrics").body, encoding: .utf8))
            #expect(metrics.contains(/(?m)^tonearm_underruns_total 0$/))
            try eventually("their descriptors are given back", within: 30) {
                try daemon.descriptors() < 100 ? true : nil
            }
        }
    }
}

/// A process of multitude.py, a program with thousands of clients.
private final class Multitude {
    struct Outcome: Decodable {
        /// Three numbers: of clients, of clients that received every change in order, and of connections that ended.
        var clients: Int
        var complete: Int
        var closed: Int
    }

    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()

    init(port: UInt16, count: Int, rounds: Int) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Clients/multitude.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path, "\(port)", "\(count)", "\(rounds)"]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Waits until all clients are connected and have the first state. Returns the number of clients, which the system's limits may reduce.
    func connected() throws -> Int {
        var line = ""
        while !line.hasSuffix("\n") {
            let data = answers.fileHandleForReading.readData(ofLength: 1)
            guard !data.isEmpty else { throw Daemon.Failure(description: "the clients ended: \(line)") }
            line += String(decoding: data, as: UTF8.self)
        }
        guard let count = line.split(separator: " ").last.flatMap({ Int($0.trimmingCharacters(in: .newlines)) }) else {
            throw Daemon.Failure(description: "the clients printed \(line)")
        }
        return count
    }

    /// Makes multitude.py change the player's state, and waits until it has reported what the clients received.
    func run() throws -> Outcome {
        try commands.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
        return try JSONDecoder().decode(Outcome.self, from: answers.fileHandleForReading.readDataToEndOfFile())
    }
}
