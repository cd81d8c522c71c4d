import Glibc
import Platform

/// A file with its present content: the system's number, the size and the time of the last change. A renamed file keeps its identity.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let file: UInt64
    private let changed: Int64
    /// In bytes.
    let size: Int64

    /// Four hexadecimal numbers.
    var name: String { [device, file, UInt64(bitPattern: size), UInt64(bitPattern: changed)].map { String($0, radix: 16) }.joined(separator: "-") }

    /// `path` contains no links. Nil if there is no regular file.
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
