import Foundation
import Glibc
import HTTPServer
import Platform

/// The runtime file of this process, by which `tonearm remote` finds the daemon: locked, and readable for its owner only.
struct RuntimeFile: Sendable {
    let path: String
    /// The open file, which has the lock.
    private let descriptor: Int32

    /// Writes the whole content at once: another process finds the file complete and locked, or not at all.
    init(path: String, record: RuntimeRecord) throws(Unusable) {
        let draft = path + ".draft"
        descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unusable(path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Log.write(record.json, to: descriptor), rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            close(descriptor)
            throw Self.unusable(path, code)
        }
        self.path = path
    }

    func remove() {
        unlink(path)
        close(descriptor)
    }

    private static func unusable(_ path: String, _ code: Int32) -> Unusable {
        Unusable(description: "the runtime file \(path) cannot be written: \(String(cString: strerror(code)))")
    }

    // MARK: Other processes' files

    /// Reads the record of another process. Nil if the daemon has ended, the content is no record, or other users can read or write the file.
    static func read(_ path: String) -> RuntimeRecord? {
        guard let descriptor = openPrivate(path) else { return nil }
        defer { close(descriptor) }
        guard !takeLock(descriptor) else { return nil }
        var bytes = [UInt8](repeating: 0, count: RuntimeRecord.maximumSize + 1)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return RuntimeRecord(json: Array(bytes[..<count]))
    }

    static func removeIfStale(_ path: String) {
        guard let descriptor = openPrivate(path) else { return }
        defer { close(descriptor) }
        if takeLock(descriptor) { unlink(path) }
    }

    /// Opens a regular file of this user that is closed to others; nil if it is not one.
    private static func openPrivate(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Takes a lock that readers share. Returns false if a daemon has the file locked. Closing the descriptor releases the lock.
    private static func takeLock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }
}

/// The facts that a client on this machine needs to reach a running daemon.
struct RuntimeRecord: Sendable, Hashable, Codable {
    /// The process number, which is only shown to users.
    var process: Int32
    /// The address for this machine: `127.0.0.1:7711` or `[::1]:7711`.
    var address: String
    /// The path of the token's file; nil if no token is needed. The token itself is never in the record.
    var tokenFile: String?
    /// The time of the daemon's start, in seconds since 1970.
    var started: Double

    /// The largest size of a record, in bytes: a path has at most 4,095 bytes, and JSON may need six bytes for each.
    static let maximumSize = 32 << 10

    /// The record on one line.
    var json: String { jsonLine.map { $0 + "\n" } ?? "" }
}

extension RuntimeRecord {
    /// Parses a record; nil also if its address is invalid.
    init?(json bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            RemoteAddress(record.address) != nil, record.started.isFinite
        else { return nil }
        self = record
    }
}

/// This daemon's runtime file, by which `tonearm remote` finds it. Playback does not need it, so a failure is only logged.
@MainActor final class RuntimeEntry {
    private let folder: RuntimeFolder?
    private var file: RuntimeFile?

    init(environment: [String: String]) { folder = RuntimeFolder.ofDaemon(environment: environment) }

    /// Writes the runtime file. Blocks.
    func write(_ address: ListenAddress, tokenFile: String?, log: Log) {
        guard let folder else { return }
        let record = RuntimeRecord(
            process: getpid(), address: address.forThisMachine, tokenFile: tokenFile, started: SystemWallClock().secondsSince1970)
        do throws(Unusable) { file = try folder.write(record) } catch {
            log(.info, "tonearm remote needs --address to find this daemon", ["reason": error.description])
        }
    }

    /// Removes the runtime file. Further calls have no effect.
    func remove() {
        file?.remove()
        file = nil
    }
}
