import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// A process of the real program, started as a user starts it.
final class Daemon {
    /// The reason why the program could not be used in a test.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let process = Process()
    private let logPath: String
    /// Whether the log is a part of the evidence of the test, and is not deleted by this object.
    private let isEvidence: Bool
    private(set) var port: UInt16 = 0

    /// The address of the program's file, which was built together with these tests.
    static var binary: URL {
        get throws {
            var folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
            if folder == nil { folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent() }
            guard let binary = folder?.appending(path: "tonearm"), FileManager.default.isExecutableFile(atPath: binary.path) else {
                throw Failure(description: "there is no program tonearm next to the tests")
            }
            return binary
        }
    }

    /// Starts `tonearm` with these arguments, and does not wait until it is ready. The program keeps no state unless the arguments name a folder for
    /// it, so that a test never changes the state of the user's own daemon.
    ///
    /// - Parameters:
    ///   - descriptors: The program's soft limit of open descriptors; nil keeps the limit of this process.
    ///   - fileSize: The maximum size of each file that the program writes, in KiB; nil means no limit.
    init(arguments: [String], environment: [String: String] = [:], descriptors: Int? = nil, fileSize: Int? = nil) throws {
        let evidence = TestEvidence.newFile("daemon", extension: "log")
        isEvidence = evidence != nil
        logPath = evidence ?? FileManager.default.temporaryDirectory.appending(path: "tonearm-e2e-\(UUID().uuidString).log").path
        try Data().write(to: URL(filePath: logPath))
        process.executableURL = try Self.binary
        process.arguments = arguments
        if let descriptors {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "ulimit -Sn \(descriptors); exec \"$0\" \"$@\"", try Self.binary.path] + arguments
        }
        if let fileSize {
            process.executableURL = URL(filePath: "/bin/bash")
            // The signal XFSZ is ignored, so that a write beyond the limit fails instead of ending the program.
            process.arguments = ["-c", "trap '' XFSZ; ulimit -f \(fileSize); exec \"$0\" \"$@\"", try Self.binary.path] + arguments
        }
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TONEARM_") && $0.key != "JOURNAL_STREAM" && $0.key != "PULSE_SINK" }
        if !arguments.contains("--state-dir") { all["TONEARM_NO_STATE"] = "yes" }
        all.merge(environment) { _, new in new }
        process.environment = all
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: logPath)
        try process.run()
    }

    /// Returns the size of the memory that belongs to the program alone, in bytes.
    func memory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }), let kibibytes = Int(line.filter(\.isNumber)) else {
            throw Failure(description: "the system does not report the program's memory")
        }
        return kibibytes << 10
    }

    /// Returns the number of the program's open descriptors.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Starts `tonearm serve` on a free port, and waits until it answers requests and, if `isHeard`, its output is there.
    convenience init(
        serving arguments: [String], on server: PrivatePulseServer? = nil, environment: [String: String] = [:], port: UInt16 = 0,
        descriptors: Int? = nil, fileSize: Int? = nil, isHeard: Bool = true
    ) throws {
        var all = environment
        for line in server?.environment ?? [] {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            all[parts[0]] = parts[1]
        }
        try self.init(
            arguments: ["serve", "--listen", "127.0.0.1:\(port)"] + arguments, environment: all, descriptors: descriptors, fileSize: fileSize)
        let found = try eventually("the program listens") { () -> UInt16? in
            guard process.isRunning else { throw Failure(description: "the program ended: \(log)") }
            return log.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { UInt16($0.1) }
        }
        self.port = found
        let path = isHeard ? "/readyz" : "/healthz"
        try eventually("the program is ready") { try HTTPClient(port: found).send("GET", path).status == 200 ? true : nil }
    }

    deinit {
        process.end()
        if !isEvidence { try? FileManager.default.removeItem(atPath: logPath) }
    }

    var client: HTTPClient { HTTPClient(port: port) }
    /// The text that the program has written to standard error so far.
    var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    /// Sends a signal to the program, and waits until it ends. Returns the duration until its end, in seconds.
    func end(with signal: Int32) throws -> Double {
        let start = MonotonicClock().now
        kill(process.processIdentifier, signal)
        try waitForEnd()
        return MonotonicClock().now - start
    }

    /// Waits for the end of the program, and returns its exit status.
    @discardableResult func waitForEnd(within seconds: Double = 60) throws -> Int32 {
        try eventually("the program ends", within: seconds) { process.isRunning ? nil : true }
        return process.terminationStatus
    }
}

/// Calls `value` every few milliseconds until its result is not nil, and returns that result. The time limit only ends a test that would hang. It
/// judges nothing.
@discardableResult
func eventually<Value>(_ what: String, within seconds: Double = 60, _ value: () throws -> Value?) throws -> Value {
    let clock = MonotonicClock()
    let deadline = clock.now + seconds
    while true {
        if let found = try value() { return found }
        guard clock.now < deadline else { throw Daemon.Failure(description: "not within \(seconds) s: \(what)") }
        pause(0.01)
    }
}

/// Waits for some seconds of real time, because the end-to-end tests run the real program by the real clock.
func pause(_ seconds: Double) {
    usleep(useconds_t(seconds * 1_000_000))
}
