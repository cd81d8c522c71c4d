import Foundation

/// The content of a runtime file: the facts that a client on this machine needs to reach a running daemon.
struct RuntimeRecord: Sendable, Hashable, Codable {
    /// The number of the daemon's process, which is only shown to users.
    var process: Int32
    /// The address and port at which a client of this machine reaches the daemon, as `127.0.0.1:7711` or `[::1]:7711`.
    var address: String
    /// The path of the file with the daemon's token; nil if the daemon needs no token. The token itself is never in a runtime file.
    var tokenFile: String?
    /// The date at which the daemon started, in seconds since 1970.
    var started: Double

    /// The maximum size of a runtime file, in bytes. A path has at most 4,095 bytes, and JSON may need six bytes for each of them.
    static let maximumSize = 32 << 10

    /// The record as JSON on one line.
    var json: String { jsonLine.map { $0 + "\n" } ?? "" }

    /// Parses the content of a runtime file; nil if the content is not a record, or if the address in it is invalid.
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
