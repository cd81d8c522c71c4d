import Foundation
import Glibc
import Platform
import PlaybackTesting

/// The limits of child processes. They end a program that hangs, and are no statement about its duration.
///
/// Foundation makes each child the leader of a process group in the session of the test process. Its own children are in its group.
extension Process {
    /// The limit of a program that runs to its end, in seconds. It is under the limit of a test, so that the output of the program is seen.
    static let limit = 540.0

    /// Waits until the program ends. If it runs longer than the limit, kills it with its children, and throws an error with its last output.
    func waitForEnd(within seconds: Double = limit, lastOutput: () -> String = { "" }) throws {
        do {
            try eventually("the program ends", within: seconds) { isRunning ? nil : true }
        } catch {
            end()
            throw Daemon.Failure(description: "\(invocation): \(error)\n\(lastOutput().suffix(4000))")
        }
    }

    /// Kills the program with its children, and waits until it has ended.
    func end() {
        // A process that has not been started has the identifier 0, which would mean the group of the test process. SIGKILL is used, because a child
        // process of a test may have other signals blocked.
        guard isRunning, processIdentifier > 0 else { return }
        kill(-processIdentifier, SIGKILL)
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }

    /// Returns what the program writes to a pipe next, which is empty at its end. If it writes nothing within the limit, ends it and throws an error.
    func nextOutput(of pipe: Pipe, within seconds: Double = limit) throws -> Data {
        var descriptor = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        let deadline = MonotonicClock().now + seconds
        while true {
            let rest = deadline - MonotonicClock().now
            guard rest > 0 else { break }
            if poll(&descriptor, 1, Int32(rest * 1000) + 1) > 0 { return pipe.fileHandleForReading.availableData }
        }
        end()
        throw Daemon.Failure(description: "\(invocation): wrote nothing more within its limit")
    }

    /// Returns everything that the program writes to a pipe until it ends. If it does not end within the limit, ends it and throws an error.
    func remainingOutput(of pipe: Pipe, within seconds: Double = limit) throws -> Data {
        let deadline = MonotonicClock().now + seconds
        var all = Data()
        while true {
            let more = try nextOutput(of: pipe, within: deadline - MonotonicClock().now)
            guard !more.isEmpty else { return all }
            all += more
        }
    }

    private var invocation: String { ([executableURL?.path ?? ""] + (arguments ?? [])).joined(separator: " ") }
}

/// Runs a program of the system, and returns its output. If the program fails or runs longer than the limit, throws an error that contains its output.
@discardableResult
func run(_ program: String, _ arguments: [String], environment: [String: String]? = nil, limit: Double = Process.limit) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program.hasPrefix("/") ? program : "/usr/bin/env")
    process.arguments = (program.hasPrefix("/") ? [] : [program]) + arguments
    // The scripts of the folder `Browser` save the pages there.
    let evidence = TestEvidence.folder.map { ["TEST_EVIDENCE": $0] } ?? [:]
    process.environment = ProcessInfo.processInfo.environment.merging(evidence) { _, new in new }.merging(environment ?? [:]) { _, new in new }
    // The output is a file, because a pipe has no end as long as a child of the program holds it.
    let output = FileManager.default.temporaryDirectory.appending(path: "tonearm-e2e-\(UUID().uuidString).out")
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let file = try FileHandle(forWritingTo: output)
    process.standardOutput = file
    process.standardError = file
    process.standardInput = FileHandle.nullDevice
    try process.run()
    func text() -> String { String(decoding: (try? Data(contentsOf: output)) ?? Data(), as: UTF8.self) }
    try process.waitForEnd(within: limit, lastOutput: text)
    guard process.terminationStatus == 0 else { throw Daemon.Failure(description: "\(program) \(arguments.joined(separator: " ")): \(text())") }
    return text()
}
