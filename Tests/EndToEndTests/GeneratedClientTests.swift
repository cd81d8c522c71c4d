import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Clients that well-known generators make from openapi.yaml, with the commands in Documentation/Clients.md. They control the real
    /// program, and a simulated later version of it. A usual run has only Python, which needs the least time.
    @Suite("Generated clients", .serialized)
    struct GeneratedClientTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        private static let token = "the-token-of-generated-clients"

        private let folder: MediaFolder

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 10, seed: 30).frames)
        }

        private func tool(_ name: String) -> String { Self.checkout.appending(path: ".venv/bin/\(name)").path }
        private func client(_ name: String) -> String { Self.checkout.appending(path: "Tests/EndToEndTests/Clients/\(name)").path }

        /// Runs the client twice on the program: without a token, and on a program that requires one.
        private func drive(_ command: (_ arguments: [String]) throws -> String) throws {
            let open = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            #expect(try command(["http://127.0.0.1:\(open.port)", folder.url("noise.wav")]).hasSuffix("ok\n"))
            let file = try folder.bytes("token", Self.token.utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let closed = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--token-file", file])
            #expect(try command(["http://127.0.0.1:\(closed.port)", folder.url("noise.wav"), Self.token]).hasSuffix("ok\n"))
            #expect(throws: (any Error).self) { try command(["http://127.0.0.1:\(closed.port)", folder.url("noise.wav")]) }
            try driveLater(command)
        }

        /// Runs the client as if the program were of a later version, and its machine had been up for 200 days. A proxy adds members and enumeration
        /// values to the responses, as a later version might, and the days to its times.
        private func driveLater(_ command: (_ arguments: [String]) throws -> String) throws {
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let proxy = Process(), output = Pipe()
            proxy.executableURL = URL(filePath: tool("python"))
            proxy.arguments = [client("newer.py"), "http://127.0.0.1:\(daemon.port)"]
            proxy.standardOutput = output
            try proxy.run()
            defer { proxy.terminate() }
            let address = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n").first.map(String.init)
            #expect(try command([try #require(address), folder.url("noise.wav")]).hasSuffix("ok\n"))
        }

        /// Runs the document's lines for a language unchanged, in a folder that resembles the checkout. Commands for the player go to the given port.
        private func followDocument(_ language: String, port: UInt16) throws -> String {
            let text = try String(contentsOf: Self.checkout.appending(path: "Documentation/Clients.md"), encoding: .utf8)
            let blocks = text.components(separatedBy: "```sh\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
            let block = try #require(blocks.first { $0.contains("openapi-generator-cli") })
            let section = try #require(block.components(separatedBy: "# ").first { $0.hasPrefix(language) })
            let lines = section.drop { $0 != "\n" }.replacing("127.0.0.1:7711", with: "127.0.0.1:\(port)")
            for name in ["openapi.yaml", "Tests"] {
                let target = Self.checkout.appending(path: name).path
                try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
            }
            let path = tool("") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            return try run("bash", ["-e", "-c", "cd \"$1\"\n\(lines)", "bash", folder.path], environment: ["PATH": path])
        }

        /// Runs the document's lines for a language, which end with a play command, and checks that the player plays.
        private func playByDocument(_ language: String) throws -> String {
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": false])
            let output = try followDocument(language, port: daemon.port)
            #expect(try daemon.client.state()["rate"] as? Double == 1, "\(output)")
            return output
        }

        @Test("Python, by openapi-python-client")
        func python() throws {
            let output = try playByDocument("Python")
            #expect(!output.contains("WARNING") && !output.contains("Warning"), "\(output)")
            try drive { try run(tool("python"), [client("drive.py")] + $0, environment: ["PYTHONPATH": folder.path]) }
        }

        @Test("TypeScript, by openapi-generator's typescript-fetch", .enabled(if: TestDepth.isThorough))
        func typeScript() throws {
            _ = try playByDocument("TypeScript")
            try FileManager.default.copyItem(atPath: client("drive.ts"), toPath: folder.file("drive.ts"))
            // Debian's TypeScript compiler is too old for a type in the generator's template: it infers `any` for it. So that check is switched off.
            try run(
                "tsc",
                [
                    "--strict", "--noImplicitAny", "false", "--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom", "--outDir",
                    folder.file("out"), folder.file("drive.ts"),
                ])
            try drive { try run("node", [folder.file("out/drive.js")] + $0) }
        }

        @Test("Go, by openapi-generator's go, with the standard library alone", .enabled(if: TestDepth.isThorough))
        func go() throws {
            _ = try followDocument("Go", port: 0)
            try FileManager.default.createDirectory(atPath: folder.file("drive"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: client("drive.go"), toPath: folder.file("drive/drive.go"))
            try "module drive\ngo 1.19\nrequire tonearm v0.0.0\nreplace tonearm => ../tonearm\n"
                .write(toFile: folder.file("drive/go.mod"), atomically: true, encoding: .utf8)
            try "module tonearm\ngo 1.19\n".write(toFile: folder.file("tonearm/go.mod"), atomically: true, encoding: .utf8)
            try run("bash", ["-c", "cd \"$1\" && GOFLAGS=-mod=mod GOPROXY=off go build -o drive .", "bash", folder.file("drive")])
            try drive { try run(folder.file("drive/drive"), $0) }
        }

        @Test("Java, by openapi-generator's java with java.net.http, and Debian's Jackson", .enabled(if: TestDepth.isThorough))
        func java() throws {
            _ = try followDocument("Java", port: 0)
            let libraries = ["core", "databind", "annotations"].map { "/usr/share/java/jackson-\($0).jar" }
            let classes = folder.file("classes"), path = (libraries + [classes]).joined(separator: ":")
            // The compiler takes from the source path what the program needs.
            try run(
                "javac",
                ["-proc:none", "-nowarn", "-cp", path, "-sourcepath", folder.file("tonearm/src/main/java"), "-d", classes, client("drive.java")])
            // Most of a short run is start-up, which the simple compiler and collector shorten.
            try drive { try run("java", ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", path, "Drive"] + $0) }
        }

        @Test("Swift, by openapi-generator's swift6", .enabled(if: TestDepth.isThorough))
        func swift() throws {
            _ = try followDocument("Swift", port: 0)
            let build = folder.file("tonearm/.build/debug")
            let objects = try FileManager.default.contentsOfDirectory(atPath: build + "/Tonearm.build").filter { $0.hasSuffix(".o") }
            try run(
                "swiftc",
                ["-swift-version", "6", "-parse-as-library", "-I", build + "/Modules", "-o", folder.file("drive"), client("drive.swift")]
                    + objects.map { build + "/Tonearm.build/" + $0 })
            try drive { try run(folder.file("drive"), $0) }
        }
    }
}
