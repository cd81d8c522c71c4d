import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Compiles the Swift code of README.md and of the documentation, unchanged, and follows the links of all documents.
    @Suite("Code in the documentation")
    struct DocumentationTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        /// The paths of the documents with Swift code: README.md, and articles of the documentation catalogue.
        private static let documents: [String] = {
            let catalogue = "Sources/AVFoundation/AVFoundation.docc"
            let articles = (try? FileManager.default.contentsOfDirectory(atPath: checkout.appending(path: catalogue).path)) ?? []
            let all = ["README.md"] + articles.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalogue)/\($0)" }
            return all.filter { (try? blocks($0).isEmpty) == false }
        }()
        /// The paths of the module maps of C libraries. The compiler needs them, because modules of the package import these libraries.
        private static let moduleMaps: [String] = {
            let sources = checkout.appending(path: "Sources/C")
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
            return folders.flatMap { folder in
                ["module.modulemap", "include/module.modulemap"].map { sources.appending(path: folder).appending(path: $0).path }
            }
            .filter { FileManager.default.fileExists(atPath: $0) }.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        }()

        /// The blocks of a document that are Swift programs or parts of them, without package manifests.
        private static func blocks(_ document: String) throws -> [String] {
            let text = try String(contentsOf: checkout.appending(path: document), encoding: .utf8)
            return text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
                .filter { !$0.hasPrefix("// Package.swift") }
        }

        /// Makes a program of a block of code. A block that is only a part of a program becomes the body of a function with the parameters that its
        /// document assumes: a player, an item and a URL.
        private static func program(_ block: String) -> String {
            if block.contains("@main") || block.hasPrefix("import ") { return block }
            return """
                import AVFoundation
                import Combine
                @MainActor func example(
                    player: AVPlayer, item: AVPlayerItem, url: URL, subscriptions: inout Set<AnyCancellable>
                ) async throws {
                \(block)
                }
                """
        }

        @Test("every Swift block compiles in Swift 6 mode with only the library", arguments: documents)
        func compiles(_ document: String) throws {
            let folder = try MediaFolder()
            let built = try Daemon.binary.deletingLastPathComponent().appending(path: "Modules")
            #expect(Self.documents.count >= 4)
            for (number, block) in try Self.blocks(document).enumerated() {
                let file = try folder.bytes("block-\(number).swift", Array(Self.program(block).utf8))
                // If the code does not compile, `run` throws the output of the compiler.
                _ = try run("swiftc", ["-typecheck", "-swift-version", "6", "-parse-as-library", "-I", built.path, file] + Self.moduleMaps)
            }
        }

        @Test("every link of a document to a file of the repository leads to one")
        func links() throws {
            let folders = ["", "Documentation", "Documentation/Decisions", "Examples/Shell"].map { Self.checkout.appending(path: $0) }
            let documents = try folders.flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
                .filter { $0.pathExtension == "md" }
            var count = 0
            for document in documents {
                let text = try String(contentsOf: document, encoding: .utf8)
                for link in text.matches(of: /(?:\]\(|src=")([^():#"]+)[)#"]/).map({ String($0.1) }) {
                    count += 1
                    let target = document.deletingLastPathComponent().appending(path: link)
                    #expect(FileManager.default.fileExists(atPath: target.path), "\(document.lastPathComponent): \(link)")
                }
            }
            #expect(count > 30)
        }

        @Test("every example compiles with only the library, in its language mode")
        func examples() throws {
            let sources = Self.checkout.appending(path: "Examples/Sources")
            let built = try Daemon.binary.deletingLastPathComponent().appending(path: "Modules")
            let targets = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            #expect(targets.count >= 6)
            for target in targets {
                let folder = sources.appending(path: target).path
                let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
                let version = target == "ListingsSwift5" ? "5" : "6"
                _ = try run("swiftc", ["-typecheck", "-swift-version", version, "-parse-as-library", "-I", built.path] + files + Self.moduleMaps)
            }
        }
    }
}
