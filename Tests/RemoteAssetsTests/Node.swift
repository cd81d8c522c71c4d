import Foundation
import Testing

/// Runs a module by Node.
enum Node {
    /// Returns the exit status and the standard output.
    static func run(_ module: String, _ options: String...) throws -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "tonearm-\(UUID().uuidString).mjs")
        try Data(module.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
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
}
