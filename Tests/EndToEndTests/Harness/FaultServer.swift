import Foundation
import Platform

/// An HTTP server for the files of a folder, with the faults that the query of a URL names (`Server/fault_server.py`).
final class FaultServer {
    private let process = Process()
    private let output = Pipe()
    private let port: Int
    private let scheme: String

    private static var program: String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Server/fault_server.py").path
    }

    /// - Parameter certificate: The path of a PEM file with a key and a certificate, for TLS; nil for plain HTTP.
    init(folder: String, certificate: String? = nil) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-B", Self.program, folder] + (certificate.map { [$0] } ?? [])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let line = String(decoding: try process.nextOutput(of: output), as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Daemon.Failure(description: "the server with faults does not start")
        }
        self.port = port
        scheme = certificate == nil ? "http" : "https"
    }

    deinit { process.end() }

    /// Whether the server refuses connections: it has an outage, which has not ended yet.
    var isAway: Bool { (try? HTTPSocket(port: UInt16(port), timeout: 30)) == nil }

    /// Returns the numbers of bytes of limited media that the server had sent at host times, in order.
    func sentBytes() throws -> [(time: HostTime, count: Int)] {
        guard let parts = try log()["sent"] as? [[Double]] else { throw Daemon.Failure(description: "the server with faults has no log") }
        return parts.map { (HostTime(seconds: $0[0]), Int($0[1])) }
    }

    /// Returns whether the server has received a request for a URL with this fault.
    func isRequested(_ fault: String) throws -> Bool {
        (try log()["requests"] as? [[String: Any]] ?? []).contains { ($0["path"] as? String)?.contains(fault) == true }
    }

    private func log() throws -> [String: Any] { try HTTPClient(port: UInt16(port)).send("GET", "/log").json }

    /// Returns the URL of a file with faults, such as "stall=5&at=100000".
    func url(_ name: String, _ faults: String = "") -> String {
        "\(scheme)://127.0.0.1:\(port)/\(name)" + (faults.isEmpty ? "" : "?" + faults)
    }
}
