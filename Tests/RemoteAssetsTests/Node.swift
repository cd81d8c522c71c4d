import Foundation
import Testing

/// Runs a module by Node.
enum Node {
    /// Returns the exit status and the standard output.
    static func run(_ module: String, _ options: String...) throws -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "tonearm-\(UUID().uuidString).mjs")
        try Data(module.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try run(at: file, options)
    }

    private static func run(at file: URL, _ options: [String] = []) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["node"] + options + [file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Writes modules into a folder, runs one of them, and returns the exit status and the standard output.
    static func run(files: [String: [UInt8]], main: String) throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tonearm-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, bytes) in files.merging(["package.json": Array("{\"type\": \"module\"}".utf8)], uniquingKeysWith: { first, _ in first }) {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
        return try run(at: folder.appending(path: main))
    }
}
