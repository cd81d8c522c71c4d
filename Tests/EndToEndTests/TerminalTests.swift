import Foundation
import Testing

extension EndToEndTests {
    /// Runs `tonearm remote`, the completion scripts and the manual page as a user does in a terminal.
    @Suite("The terminal", .serialized)
    struct TerminalTests {
        private static let sample = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "packaging/sample/first-light.opus").path

        /// A folder for the state and the runtime files of one test, so that `tonearm remote` finds only the daemons of this test.
        private let folder: MediaFolder
        private var environment: [String: String] {
            ["XDG_RUNTIME_DIR": folder.file("run"), "XDG_STATE_HOME": folder.file("state"), "HOME": folder.path]
        }

        init() throws {
            folder = try MediaFolder()
            try FileManager.default.createDirectory(atPath: folder.file("run"), withIntermediateDirectories: true)
        }

        private func daemon(_ arguments: String...) throws -> Daemon {
            try Daemon(serving: ["--output", "null", "--media-root", folder.path] + arguments, environment: environment)
        }
        /// Runs a command of `tonearm remote`, and returns its output. Throws an error if the command fails.
        private func remote(_ arguments: String...) throws -> String {
            try run(try Daemon.binary.path, ["remote"] + arguments, environment: environment)
        }
        /// Runs a command of `tonearm remote` that must fail. Returns its exit status, and the line that it writes to standard error.
        private func failure(_ arguments: String...) throws -> (status: Int32, line: String) {
            let failed = try Daemon(arguments: ["remote"] + arguments, environment: environment)
            return (try failed.waitForEnd(), failed.log)
        }

        @Test("a remote without options finds the daemon and its token, and drives it")
        func found() throws {
            try FileManager.default.copyItem(atPath: Self.sample, toPath: folder.file("a.opus"))
            let daemon = try daemon("--token-file", folder.file("token"))
            #expect(try daemon.client.send("GET", "/api/v1/player").status == 401)
            #expect(try remote().contains("nothing is loaded"))
            _ = try remote("add", folder.file("a.opus"), folder.file("a.opus"))
            _ = try remote("play")
            try eventually("it plays") { try remote("status").contains("playing") ? true : nil }
            #expect(try remote("pause").hasPrefix("paused  0:0"))
            #expect(try remote("seek", "0:12").hasPrefix("paused  0:12 / 0:24  First Light – Tonearm  (seek by terminal)"))
            #expect(try remote("volume", "40").contains("paused"))
            #expect(try remote("volume", "+5", "--json").contains("\"volume\":0.45"))
            #expect(try remote("next").contains("(itemChanged by terminal)"))
            #expect(try remote("queue").contains("\n> 2  First Light"))
            #expect(try remote("outputs").contains("> null"))
            _ = try remote("remove", "1", "2")
            #expect(try remote("queue") == "the queue is empty\n")
            _ = try daemon.end(with: SIGTERM)
            #expect(daemon.process.terminationStatus == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("run/tonearm")).isEmpty)
        }

        @Test("the exit status tells a refusal, an invalid command line and a missing daemon apart")
        func statuses() throws {
            #expect(try failure("--address", "127.0.0.1:1").status == 3)
            #expect(try failure("seek", "soon").status == 2)
            let daemon = try daemon()
            let refused = try failure("next")
            #expect(refused.status == 1)
            #expect(refused.line.filter(\.isNewline).count == 1)
            #expect(try remote("--address", "127.0.0.1:\(daemon.port)").contains("nothing is loaded"))
        }

        @Test("the newest of several daemons is driven, and after kill -9 the one before it")
        func several() throws {
            let first = try daemon()
            let second = try daemon()
            #expect(try remote("servers").hasPrefix("> 127.0.0.1:\(second.port) "))
            _ = try second.end(with: SIGKILL)
            #expect(try remote("servers").hasPrefix("> 127.0.0.1:\(first.port) "))
            #expect(try remote("servers").filter(\.isNewline).count == 1)
        }

        @Test("a follower prints a line for each change, and goes on after a restart of the daemon on another port")
        func follow() throws {
            let daemon = try daemon()
            let follower = Process()
            follower.executableURL = try Daemon.binary
            follower.arguments = ["remote", "--follow"]
            follower.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
            let (output, errors) = (folder.file("followed"), folder.file("errors"))
            for file in [output, errors] { try Data().write(to: URL(filePath: file)) }
            follower.standardOutput = FileHandle(forWritingAtPath: output)
            follower.standardError = FileHandle(forWritingAtPath: errors)
            try follower.run()
            defer { follower.terminate() }
            func lines(_ file: String) -> [String] {
                ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
            }
            try eventually("the first line") { lines(output) == ["nothing is loaded  (none by player)"] ? true : nil }
            _ = try remote("volume", "30")
            try eventually("the change") { lines(output).last == "nothing is loaded  (settingsChanged by terminal)" ? true : nil }
            _ = try daemon.end(with: SIGTERM)
            try eventually("the warning") { lines(errors).isEmpty ? nil : true }
            let second = try self.daemon()
            try eventually("the state of the second daemon", within: 20) {
                lines(output).last == "nothing is loaded  (none by player)" && lines(output).count == 3 ? true : nil
            }
            #expect(lines(errors) == ["tonearm: the server at 127.0.0.1:\(daemon.port) ended the stream of events; waiting for the server"])
            #expect(second.port != daemon.port && follower.isRunning)
        }

        @Test("the shells accept the completion scripts, and bash completes from them", arguments: ["bash", "zsh"])
        func completion(shell: String) throws {
            guard ["/usr/bin/\(shell)", "/bin/\(shell)"].contains(where: FileManager.default.isExecutableFile) else { return }
            let script = try folder.bytes("completion", Array(try run(try Daemon.binary.path, ["completion", shell]).utf8))
            _ = try run(shell, ["-n", script])
            guard shell == "bash" else { return }
            func completed(_ words: String...) throws -> [String] {
                let list = words.map { "'\($0)'" }.joined(separator: " ")
                let text = try run(
                    "bash",
                    [
                        "-c",
                        "compopt() { :; }; . \"$1\"; COMP_WORDS=(tonearm \(list)); COMP_CWORD=\(words.count); _tonearm; printf '%s\\n' \"${COMPREPLY[@]}\"",
                        "bash", script,
                    ])
                return text.split(separator: "\n").map(String.init)
            }
            #expect(try completed("re") == ["remote", "render"])
            #expect(try completed("remote", "pa") == ["pause"])
            #expect(try completed("remote", "repeat", "o") == ["off", "one"])
            #expect(try completed("serve", "--no") == ["--no-state", "--no-auth"])
            #expect(try completed("serve", "--log-level", "=", "w") == ["warning"])
            #expect(try completed("serve", "--resume", "p") == ["pause", "play"])
            #expect(try completed("serve", "--remember") == ["--remember-positions"])
            try FileManager.default.createDirectory(atPath: folder.file("states"), withIntermediateDirectories: true)
            _ = try folder.bytes("statement", [])
            #expect(try completed("serve", "--state-dir", folder.file("sta")) == [folder.file("states")])
        }

        @Test("man formats the manual page without a warning")
        func manual() throws {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
            let page = try folder.bytes("tonearm.1", Array(try run(try Daemon.binary.path, ["man"]).utf8))
            let text = try run("groff", ["-man", "-ww", "-z", page])
            #expect(text.isEmpty, "\(text)")
        }
    }
}
