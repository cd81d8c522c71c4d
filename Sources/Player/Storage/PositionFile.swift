import Glibc

/// The position in the current entry, in a file of its own. During playback nothing else changes, and 24 bytes cost far less than a transaction, but
/// survive the end of the process too.
///
/// A random mark, which each write of the database row `playhead` replaces, excludes a position of another entry. A checksum excludes a file that a
/// loss of power has damaged. The file is not mapped into memory: on a full disk an access would end the program, but a write returns an error.
final class PositionFile {
    private let descriptor: Int32

    /// Opens the file, or creates it with mode 0600; fails for a symbolic link. Blocks.
    init(path: String) throws(DatabaseError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes a position in seconds.
    func write(_ time: Double, mark: Int64) throws(DatabaseError) {
        let words = [UInt64(bitPattern: mark), time.bitPattern, Self.checksum(mark, time)]
        let count = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == words.count * 8 else { throw Self.failure("pwrite") }
    }

    /// Reads the position in seconds; nil if the file has another mark, or is damaged.
    func read(mark: Int64) -> Double? {
        var words: [UInt64] = [0, 0, 0]
        let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let time = Double(bitPattern: words[1])
        guard count == words.count * 8, words[0] == UInt64(bitPattern: mark), words[2] == Self.checksum(mark, time), time.isFinite else { return nil }
        return time
    }

    /// An FNV-1a checksum over words of 64 bits instead of bytes.
    private static func checksum(_ mark: Int64, _ time: Double) -> UInt64 {
        [UInt64(bitPattern: mark), time.bitPattern].reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01B3 }
    }

    private static func failure(_ operation: String) -> DatabaseError {
        let code = errno
        return DatabaseError(code == ENOSPC || code == EDQUOT ? .diskFull : .failed, "\(operation): \(String(cString: strerror(code)))")
    }
}
