import Foundation
import Testing

extension EndToEndTests {
    /// The lines of curl in README.md and in Documentation/Commands.md.
    @Suite("README.md and Commands.md", .serialized)
    struct ReadmeTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// Returns a document's blocks of code in a language, in order.
        private static func blocks(_ language: String, in document: String) throws -> [String] {
            let text = try String(contentsOf: checkout.appending(path: document), encoding: .utf8)
            return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        }

        @Test("every curl line of README.md works when pasted, in order")
        func readme() throws { _ = try paste("README.md") }

        @Test("every curl line of Commands.md works when pasted, in order")
        func commands() throws {
            let output = try paste("Documentation/Commands.md")
            #expect(output.contains("openapi: 3.1"))
            let cover = try Data(contentsOf: URL(filePath: "/tmp/cover"))
            #expect(cover == (try Data(contentsOf: Self.checkout.appending(path: "packaging/sample/cover.png"))))
        }

        /// Pastes a document's first block with curl into a shell, and returns what it prints. The lines end with the removal of the queue.
        private func paste(_ document: String) throws -> String {
            let block = try #require(try Self.blocks("sh", in: document).first { $0.contains("curl") })
            let sample = Self.checkout.appending(path: "packaging/sample").path
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", sample])
            let folder = try MediaFolder()
            // This configuration makes the exit status of curl report error responses of the server.
            try folder.bytes(".curlrc", Array("fail-with-body\nsilent\nshow-error\n".utf8))
            var script = "cd \"$1\"\n"
            for line in block.replacing("127.0.0.1:7711", with: "127.0.0.1:\(daemon.port)").split(separator: "\n") {
                script += line + "\n"
                // The exit status 28 of curl is accepted: it means that `--max-time` ended the endless event stream.
                if line.contains("curl") { script += "code=$?; [ $code -eq 0 ] || [ $code -eq 28 ] || { echo \"exit $code\"; exit 1; }\necho\n" }
            }
            let output = try run("bash", ["-c", script, "bash", Self.checkout.path], environment: ["CURL_HOME": folder.path, "HOME": folder.path])
            #expect(output.contains("\"title\":\"First Light\""))
            #expect(output.contains("event: state"))
            #expect(output.contains("event: tick"))
            #expect(try daemon.client.send("GET", "/api/v1/player/item").status == 404)
            return output
        }

        @Test("every path of the contract has a line in Commands.md or Daemon.md")
        func complete() throws {
            let documents = ["Documentation/Commands.md", "Documentation/Daemon.md"]
            let text = try documents.map { try (Self.blocks("sh", in: $0) + Self.blocks("js", in: $0)).joined() }.joined()
            let contract = try String(contentsOf: Self.checkout.appending(path: "openapi.yaml"), encoding: .utf8)
            let paths = contract.matches(of: /\n  (\/[a-z0-9\/{}.-]*):\n/).map { String($0.1) }.filter { $0 != "/" }
            #expect(paths.count > 10)
            for template in paths {
                let path = template.replacing("{id}", with: "$item").replacing("{output}", with: "$output").replacing(
                    "{code}", with: "seek-out-of-range")
                let written = path.replacing("/api/v1", with: "$api")
                #expect(
                    text.contains(written) || text.contains("127.0.0.1:7711\(path)") || text.contains("ws://${location.host}\(path)"),
                    "\(path)")
            }
        }
    }
}
