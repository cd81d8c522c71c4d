import Glibc
import Platform

/// Identifies a file with its present content, by the system's number of the file, its size and the time of its last change. The path is not used, so
/// a renamed file keeps its identity, and a changed file has a new one.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let file: UInt64
    private let changed: Int64
    /// The size of the file, in bytes.
    let size: Int64

    /// The identity as a name for a file: four hexadecimal numbers.
    var name: String { [device, file, UInt64(bitPattern: size), UInt64(bitPattern: changed)].map { String($0, radix: 16) }.joined(separator: "-") }

    /// Returns the identity of the regular file at `path`, which contains no links; nil if there is none.
    init?(_ path: AbsolutePath) {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(status.st_dev)
        file = UInt64(status.st_ino)
        // The time is only compared, so an overflow does no harm.
        changed = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        size = Int64(status.st_size)
    }
}
