import Foundation
import Testing

extension EndToEndTests {
    /// The scripts of `Examples/Shell`: each runs against the program and has its effect.
    @Suite("Shell scripts", .serialized)
    struct ShellTests {
        /// Runs a script on a stage, and expects its effect.
        typealias Task = @Sendable () throws -> Void

        /// A task for each script.
        static let tasks = [playing, moments, queue, watching].reduce(into: [:]) { all, some in
            all.merge(some) { _, _ in fatalError("two tasks of one name") }
        }

        private static let scripts =
            (try? FileManager.default.contentsOfDirectory(atPath: ShellStage.folder.path))?
            .filter { $0.hasSuffix(".sh") && $0 != "connection.sh" }.map { String($0.dropLast(3)) }.sorted() ?? []

        @Test("a script has its effect", arguments: tasks.keys.sorted())
        func effect(script: String) throws {
            let task = try #require(Self.tasks[script])
            try task()
        }

        @Test("each script has a task in this suite and a row in the list, and the reverse")
        func complete() throws {
            #expect(Self.scripts == Self.tasks.keys.sorted())
            #expect(Self.scripts.count >= 40)
            let rows = try Self.list().matches(of: /\n\| `([a-z-]+)\.sh/).map { String($0.1) }
            #expect(rows.sorted() == Self.scripts)
        }

        @Test("each script has at most 12 lines, starts with its task, and has no other tools than a shell's", arguments: scripts)
        func form(script: String) throws {
            let file = ShellStage.folder.appending(path: script + ".sh")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(lines.count >= 4)
            #expect(lines[0] == "#!/bin/sh")
            #expect(lines[1].hasPrefix("# ") && lines[1].contains(": \(script).sh"))
            #expect(lines[2] == #". "${0%/*}/connection.sh""#)
            #expect(lines.count - 3 <= 12)
            #expect(!lines.contains { $0.contains("jq ") || $0.contains("python") || $0.contains("awk") || $0.contains("perl") })
            #expect(FileManager.default.isExecutableFile(atPath: file.path))
        }

        @Test("the list states the number of lines of the five scripts that are compared")
        func lengths() throws {
            let text = try Self.list()
            for script in ["alarm", "resume", "play-next", "ab-loop", "react"] {
                let lines = try String(contentsOf: ShellStage.folder.appending(path: script + ".sh"), encoding: .utf8).split(separator: "\n")
                #expect(text.contains("| \(script) | \(lines.count - 3) |"), "\(script) has \(lines.count - 3) lines")
            }
        }

        @Test("Commands.md shows ten scripts as they are")
        func shown() throws {
            let file = ShellStage.folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/Commands.md")
            let blocks = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "<!-- ShellTests compare")
            let block = try #require(blocks.dropFirst().first?.components(separatedBy: "```").dropFirst().first)
            var shown: [[String]] = []
            for line in block.split(separator: "\n").dropFirst().map(String.init) {
                if line.hasPrefix("# ") || shown.isEmpty { shown.append([]) }
                shown[shown.count - 1].append(line)
            }
            #expect(shown.count == 10)
            for lines in shown {
                let name = try #require(lines[0].firstMatch(of: /: ([a-z-]+)\.sh/)).1
                let script = try String(contentsOf: ShellStage.folder.appending(path: name + ".sh"), encoding: .utf8)
                    .split(separator: "\n").map(String.init)
                #expect(lines == [script[1]] + script[3...])
            }
        }

        private static func list() throws -> String { try String(contentsOf: ShellStage.folder.appending(path: "README.md"), encoding: .utf8) }

        @Test("a script sends the token, and a refusal is a failure with the reason")
        func token() throws {
            let token = try MediaFolder()
            let stage = try ShellStage(options: ["--token-file", token.file("token")])
            let refused = try #require(throws: Daemon.Failure.self) { try stage.perform("consume", "true") }
            #expect(refused.description.contains("/problems/unauthorized"))
            let answer = try stage.perform("consume", "true", environment: ["TONEARM_TOKEN_FILE": token.file("token")])
            #expect(answer.contains("\"isConsuming\":true"))
        }

        @Test("a script that follows events goes on after a restart of the server")
        func restart() throws {
            let stage = try ShellStage()
            try stage.follow("react", ["sh", "-c", "echo \"$1\" >>'\(stage.written("titles"))'", "react"])
            try stage.restart()
            try eventually("react.sh follows the events again") { try stage.metric("tonearm_event_clients") == "1" ? true : nil }
            try stage.load(ShellStage.song)
            try eventually("the title") { stage.text("titles").contains("First Light\n") ? true : nil }
        }
    }
}
