import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The program", .serialized)
    struct ProgramTests {
        /// Runs `tonearm` to its end. Returns its exit status and its standard error.
        private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (status: Int32, log: String) {
            let daemon = try Daemon(arguments: arguments, environment: environment)
            return (try daemon.waitForEnd(), daemon.log)
        }

        @Test(
            "an invalid command line gives one line and status 2",
            arguments: [
                [], ["srve"], ["serve", "--listn", "127.0.0.1:0"], ["serve", "--listen", "nonsense"], ["serve", "--output", "loud"],
                ["serve", "--log-level", "7"],
                ["serve", "--no-auth", "--token-file", "x"], ["serve", "--media-root"], ["render", "x.wav"], ["inspect"], ["help", "dance"],
            ])
        func usage(arguments: [String]) throws {
            let (status, log) = try run(arguments)
            #expect(status == 2)
            #expect(log.hasPrefix("tonearm: ") && log.hasSuffix("\n"))
            #expect(log.filter(\.isNewline).count == 1)
        }

        @Test(
            "an unusable argument gives one line and status 1",
            arguments: [
                ["--media-root", "/etc/passwd"], ["--web", "/nonexistent"], ["/nonexistent.flac"], ["--output", "file:/nonexistent/x.wav"],
                ["--listen", "192.0.2.1:0", "--no-auth"],
            ])
        func unusable(arguments: [String]) throws {
            let (status, log) = try run(["serve", "--log-level", "error", "--listen", "127.0.0.1:0", "--output", "null"] + arguments)
            #expect(status == 1)
            #expect(log.filter(\.isNewline).count == 1, "\(log)")
        }

        @Test(
            "help and version are printed to standard output with status 0",
            arguments: [["--help"], ["--version"], ["serve", "--help"], ["help", "render"], ["inspect", "-h"]])
        func help(arguments: [String]) throws {
            let (status, log) = try run(arguments)
            #expect(status == 0)
            #expect(log.isEmpty)
        }

        @Test("SIGTERM and SIGINT stop the program in order within its own limit, with clients connected", arguments: [SIGTERM, SIGINT])
        func stops(signal: Int32) throws {
            let daemon = try Daemon(serving: ["--output", "null"])
            let listeners = try (0..<20).map { _ in try EventListener(port: daemon.port, query: "?tick=0.1") }
            let idle = try (0..<20).map { _ in try HTTPSocket(port: daemon.port, timeout: 60) }
            try eventually("all listen") { listeners.allSatisfy { !$0.events.isEmpty } ? true : nil }
            _ = try daemon.end(with: signal)
            // If its orderly stop takes too long, the program exits with the status 1.
            #expect(daemon.process.terminationReason == .exit)
            #expect(daemon.process.terminationStatus == 0)
            try eventually("all streams end") { listeners.allSatisfy(\.isOver) ? true : nil }
            for socket in idle { #expect(try socket.read() == nil) }
        }

        @Test("SIGTERM stops the program within its own limit while it plays too")
        func stopsWhilePlaying() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 10, seed: 8).frames)
            let server = try PrivatePulseServer()
            let daemon = try Daemon(serving: ["--output", "pulse", folder.file("noise.wav")], on: server)
            try eventually("it plays") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            _ = try daemon.end(with: SIGTERM)
            #expect(daemon.process.terminationStatus == 0)
        }

        @Test("a hanging sound server does not keep the program from ending")
        func stopsOnFrozenServer() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 10, seed: 9).frames)
            let server = try PrivatePulseServer()
            let daemon = try Daemon(serving: ["--output", "pulse", folder.file("noise.wav")], on: server)
            try eventually("it plays") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            server.freeze()
            // The server does not run again before the test ends, so a program that waits for it does not end.
            _ = try daemon.end(with: SIGTERM)
        }

        @Test("after kill -9 the program starts again at once on the same port, with another epoch")
        func restart() throws {
            let first = try Daemon(serving: ["--output", "null"])
            let listener = try EventListener(port: first.port)
            let epoch = try #require(try first.client.state()["epoch"] as? String)
            _ = try first.end(with: SIGKILL)
            let second = try Daemon(serving: ["--output", "null"], port: first.port)
            #expect(second.port == first.port)
            #expect(try second.client.state()["epoch"] as? String != epoch)
            try eventually("the old stream ends") { listener.isOver ? true : nil }
        }

        @Test("a second program on the same port ends with one line and status 1, and the first is not affected")
        func portInUse() throws {
            let first = try Daemon(serving: ["--output", "null"])
            let (status, log) = try run(["serve", "--log-level", "error", "--output", "null", "--listen", "127.0.0.1:\(first.port)"])
            #expect(status == 1)
            #expect(log.contains("127.0.0.1:\(first.port)"))
            #expect(log.filter(\.isNewline).count == 1)
            #expect(try first.client.send("GET", "/healthz").status == 200)
        }

        @Test("without a sound server time stands still and the state says why, and playback begins within a second of the server's appearance")
        func autoOutput() throws {
            let folder = try MediaFolder()
            let noise = Noise(seconds: 30, seed: 10)
            try folder.wav("noise.wav", noise.frames)
            // The program is given the address of a sound server that does not exist yet.
            let socket = folder.file("pulse")
            let environment = ["PULSE_SERVER": "unix:\(socket)", "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path]
            let daemon = try Daemon(
                serving: ["--output", "pulse", "--media-root", folder.path], environment: environment, isHeard: false)
            let item = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            #expect(item["status"] as? String == "readyToPlay")
            func silence() throws -> String? { (try daemon.client.state()["audioSession"] as? [String: Any])?["silence"] as? String }
            try eventually("it says why") { try silence() == "noOutput" ? true : nil }
            #expect(try daemon.client.state()["timeControlStatus"] as? String == "paused")
            #expect(try daemon.client.send("GET", "/readyz").status == 503)
            #expect(try daemon.client.time() == 0)
            #expect(daemon.log.contains("nobody can hear"))

            let server = try PrivatePulseServer()
            let recording = try #require(server.recording)
            try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: String(server.address.dropFirst("unix:".count)))
            try eventually("it plays") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            try #require(recording.wait { Heard($0.samples()).sound.count > Noise.rate })
            #expect(try silence() == nil && daemon.client.send("GET", "/readyz").status == 200)
            try daemon.client.command("POST", "/player/pause")
            // No frame was lost while nobody could hear.
            let sound = Heard(recording.samples()).sound
            #expect(noise.position(of: sound[0..<512]) == 0)
        }

        @Test("after a full disk the file output is valid, playback has stopped, and the exit status is 1")
        func fullDisk() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 30, seed: 12).frames)
            let daemon = try Daemon(
                serving: ["--output", "file:\(folder.file("out.wav"))", "--media-root", folder.path], fileSize: 256)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try eventually("it stops") {
                (try daemon.client.state()["audioSession"] as? [String: Any])?["silence"] as? String == "writeFailed" ? true : nil
            }
            let state = try daemon.client.state()
            #expect(state["rate"] as? Double == 0)
            #expect(((state["output"] as? [String: Any])?["error"] as? [String: Any])?["code"] as? String == "outputUnavailable")
            #expect(daemon.log.contains("the output was lost"))
            let time = try daemon.client.time()
            kill(daemon.process.processIdentifier, SIGTERM)
            #expect(try daemon.waitForEnd() == 1)
            try folder.encode("out.wav", to: "out.s16", "-f", "s16le")
            let seconds = Double(try Data(contentsOf: URL(filePath: folder.file("out.s16"))).count) / 4 / Double(Noise.rate)
            #expect(seconds > 1 && abs(seconds - time) < 0.3)
        }

        @Test("the file output contains exactly what was played")
        func fileOutput() throws {
            let folder = try MediaFolder()
            let noise = Noise(seconds: 1, seed: 11)
            try folder.wav("noise.wav", noise.frames)
            let daemon = try Daemon(serving: ["--output", "file:\(folder.file("out.wav"))", folder.file("noise.wav")])
            try eventually("it has ended") { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            _ = try daemon.end(with: SIGTERM)
            try folder.encode("out.wav", to: "out.s16", "-f", "s16le")
            let data = try Data(contentsOf: URL(filePath: folder.file("out.s16")))
            let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
            #expect(Heard(samples).soundWithHoles.elementsEqual(noise.frames))
        }

        @Test("a file that is also the output is not played, and unchanged")
        func fileIsOutput() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 1, seed: 12).frames)
            let before = try Data(contentsOf: URL(filePath: folder.file("noise.wav")))
            try FileManager.default.createSymbolicLink(atPath: folder.file("link.wav"), withDestinationPath: "noise.wav")
            let daemon = try Daemon(serving: ["--output", "file:\(folder.file("link.wav"))", "--media-root", folder.path])
            let answer = try daemon.client.send("PUT", "/api/v1/player/item?wait=10", json: ["url": folder.url("noise.wav"), "play": true])
            #expect(answer.status == 422)
            #expect((answer.json["error"] as? [String: Any])?["code"] as? String == "permissionDenied")
            #expect(try Data(contentsOf: URL(filePath: folder.file("noise.wav"))) == before)
        }

        @Test("a FILE argument permits that file and no other in its folder")
        func fileArgument() throws {
            let folder = try MediaFolder()
            try folder.wav("a.wav", Noise(seconds: 1, seed: 12).frames)
            try folder.wav("b.wav", Noise(seconds: 1, seed: 13).frames)
            let daemon = try Daemon(serving: ["--output", "null", folder.file("a.wav")])
            #expect(try daemon.client.send("PUT", "/api/v1/player/item", json: ["url": folder.url("a.wav")]).status == 201)
            #expect(try daemon.client.send("PUT", "/api/v1/player/item", json: ["url": folder.url("b.wav")]).status == 403)
        }

        @Test("a file that is not audio fails only its item: the program stays ready and plays the next", arguments: ["null", "pulse"])
        func failedItem(output: String) throws {
            let folder = try MediaFolder()
            try Data("This is text.".utf8).write(to: URL(filePath: folder.file("text.mp3")))
            try folder.wav("noise.wav", Noise(seconds: 30, seed: 14).frames)
            let server = output == "pulse" ? try PrivatePulseServer() : nil
            let daemon = try Daemon(serving: ["--output", output, "--media-root", folder.path], on: server)
            let answer = try daemon.client.send(
                "PUT", "/api/v1/player/item?wait=10", json: ["url": folder.url("text.mp3"), "play": true])
            #expect(answer.status == 422)
            _ = try daemon.client.send("POST", "/api/v1/player/play")
            #expect(try daemon.client.send("GET", "/readyz").status == 200)
            #expect(!daemon.log.contains("output cannot be opened"))
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try eventually("it plays") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            #expect(try daemon.client.send("GET", "/readyz").status == 200)
        }

        @Test("two signals at once cause one orderly stop", arguments: [SIGTERM, SIGINT])
        func doubleSignal(signal: Int32) throws {
            let daemon = try Daemon(serving: ["--output", "null"])
            kill(daemon.process.processIdentifier, signal)
            pause(0.02)
            _ = try daemon.end(with: signal)
            #expect(daemon.process.terminationReason == .exit)
            #expect(daemon.process.terminationStatus == 0)
        }

        @Test("a waiting request is answered when the program stops")
        func answersAtStop() throws {
            let daemon = try Daemon(serving: ["--output", "null"])
            let state = try daemon.client.send("GET", "/api/v1/player")
            let tag = try #require(state.headers["etag"])
            let socket = try HTTPSocket(port: daemon.port, timeout: 60)
            try socket.write(
                Array("GET /api/v1/player?wait=30 HTTP/1.1\r\nHost: 127.0.0.1:\(daemon.port)\r\nIf-None-Match: \(tag)\r\n\r\n".utf8))
            // Gives the request time to reach the state in which it waits for a change. That state is not visible from outside.
            pause(0.3)
            _ = try daemon.end(with: SIGTERM)
            #expect(daemon.process.terminationStatus == 0)
            let answer = try #require(try socket.read().flatMap { HTTPHead($0) })
            #expect(answer.status == 304)
        }

        @Test("started by systemd, the program logs with priorities")
        func journal() throws {
            let daemon = try Daemon(serving: ["--output", "null"])
            #expect(!daemon.log.hasPrefix("<"))
            let log = FileManager.default.temporaryDirectory.appending(path: "tonearm-e2e-journal-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: log) }
            // As systemd does, the script sets JOURNAL_STREAM to the device and inode of standard error.
            let script = "exec 2>\"$1\"; export JOURNAL_STREAM=$(stat -L -c %d:%i \"$1\"); exec \"$2\" serve --output null --media-root /etc/passwd"
            let status = try? EndToEndTests.runShell(script, [log, try Daemon.binary.path])
            #expect(status == 1)
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            // Only the last line is compared, because a program that runs as root first logs a warning.
            #expect(lines.allSatisfy { $0.hasPrefix("<") } && lines.last?.hasPrefix("<3>") == true)
        }
    }

    /// Runs a shell script, and returns its exit status.
    static func runShell(_ script: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, "sh"] + arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
