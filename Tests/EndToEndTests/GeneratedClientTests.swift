import Foundation
import Testing

extension EndToEndTests {
    /// Clients that well-known generators make of openapi.yaml: generated, compiled, and driving the real program. README tells the same commands.
    @Suite("Generated clients", .serialized)
    struct GeneratedClientTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        private static let contract = checkout.appending(path: "openapi.yaml").path
        private static let token = "the-token-of-generated-clients"

        private let folder: MediaFolder

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 10, seed: 30).frames)
        }

        private func tool(_ name: String) -> String { Self.checkout.appending(path: ".venv/bin/\(name)").path }
        private func client(_ name: String) -> String { Self.checkout.appending(path: "Tests/EndToEndTests/Clients/\(name)").path }

        /// Lets the client drive the program, without a token and with one.
        private func drive(_ command: (_ arguments: [String]) throws -> String) throws {
            let open = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            #expect(try command(["http://127.0.0.1:\(open.port)", folder.url("noise.wav")]).hasSuffix("ok\n"))
            let file = try folder.bytes("token", Self.token.utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let closed = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--token-file", file])
            #expect(try command(["http://127.0.0.1:\(closed.port)", folder.url("noise.wav"), Self.token]).hasSuffix("ok\n"))
            #expect(throws: (any Error).self) { try command(["http://127.0.0.1:\(closed.port)", folder.url("noise.wav")]) }
        }

        private func generate(_ generator: String, to path: String, _ more: String...) throws {
            try run(
                tool("openapi-generator-cli"), ["generate", "--input-spec", Self.contract, "--generator-name", generator, "--output", path] + more)
        }

        @Test("Python, by openapi-python-client")
        func python() throws {
            let output = try run(
                tool("openapi-python-client"),
                ["generate", "--path", Self.contract, "--output-path", folder.file("tonearm"), "--meta", "none", "--config", client("python.yaml")])
            #expect(!output.contains("WARNING") && !output.contains("Warning"), "\(output)")
            try drive { try run(tool("python"), [client("drive.py")] + $0, environment: ["PYTHONPATH": folder.path]) }
        }

        @Test("TypeScript, by openapi-generator's typescript-fetch")
        func typeScript() throws {
            try generate("typescript-fetch", to: folder.file("tonearm"))
            try FileManager.default.copyItem(atPath: client("drive.ts"), toPath: folder.file("drive.ts"))
            // Debian's compiler is older than what the template's narrowing of types needs: it sees `any` there.
            try run(
                "tsc",
                [
                    "--strict", "--noImplicitAny", "false", "--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom", "--outDir",
                    folder.file("out"), folder.file("drive.ts"),
                ])
            try drive { try run("node", [folder.file("out/drive.js")] + $0) }
        }

        @Test("Swift, by openapi-generator's swift6")
        func swift() throws {
            try generate(
                "swift6", to: folder.file("tonearm"), "--additional-properties", "projectName=Tonearm", "--name-mappings",
                "container=containerName")
            let sources = FileManager.default.enumerator(atPath: folder.file("tonearm/Sources"))?.compactMap { $0 as? String }
                .filter { $0.hasSuffix(".swift") }.map { folder.file("tonearm/Sources/" + $0) }
            try run(
                "swiftc",
                [
                    "-swift-version", "6", "-emit-module", "-emit-library", "-module-name", "Tonearm", "-emit-module-path",
                    folder.file("Tonearm.swiftmodule"), "-o", folder.file("libTonearm.so"),
                ] + #require(sources))
            try run(
                "swiftc",
                [
                    "-swift-version", "6", "-parse-as-library", "-I", folder.path, "-L", folder.path, "-lTonearm", "-Xlinker", "-rpath", "-Xlinker",
                    folder.path, "-o", folder.file("drive"), client("drive.swift"),
                ])
            try drive { try run(folder.file("drive"), $0) }
        }
    }
}
