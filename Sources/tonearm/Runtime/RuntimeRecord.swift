import Foundation

/// What a client on this machine needs to reach a running daemon.
struct RuntimeRecord: Sendable, Hashable, Codable {
    /// Only shown to users.
    var process: Int32
    /// For this machine: `127.0.0.1:7711` or `[::1]:7711`.
    var address: String
    /// Nil if no token is needed. The token itself is never here.
    var tokenFile: String?
    /// In seconds since 1970.
    var started: Double

    /// In bytes: a path has at most 4,095, and JSON may need six for each.
    static let maximumSize = 32 << 10

    /// On one line.
    var json: String { jsonLine.map { $0 + "\n" } ?? "" }

    /// Nil also if the address is invalid.
    init?(json bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            RemoteAddress(record.address) != nil, record.started.isFinite
        else { return nil }
        self = record
    }

    init(process: Int32, address: String, tokenFile: String?, started: Double) {
        self.process = process
        self.address = address
        self.tokenFile = tokenFile
        self.started = started
    }
}
