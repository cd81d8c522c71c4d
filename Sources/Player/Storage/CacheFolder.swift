import Glibc
import Platform
import Synchronization

/// A folder of files that the program can make again. Beyond a limit, those that were not used for longest are removed. Any thread; blocks.
public final class CacheFolder: Sendable {
    /// The limits of a file and of all files together, in bytes.
    public struct Limits: Sendable {
        public var file: Int
        public var total: Int
        public init(file: Int, total: Int) { (self.file, self.total) = (file, total) }
    }

    private let path: String
    private let limits: Limits
    /// Locked during a write, because all files are written under the same name first.
    private let writing = Mutex(())

    /// The name of a file while it is written.
    private static let draft = "draft"
    /// The longest name, in bytes.
    private static let largestName = 200

    /// Makes the folder, for its owner alone. Nil if that is not possible, or if another user can write it.
    public init?(path: String, limits: Limits) {
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path) } catch { return nil }
        guard PrivateFolder.distrust(of: path + "/") == nil else { return nil }
        self.path = path
        self.limits = limits
        unlink(path + "/" + Self.draft)
    }

    /// The content of a file, whose use is noted.
    public func bytes(of name: String) -> [UInt8]? {
        guard Self.isName(name) else { return nil }
        let descriptor = open(path + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let bytes = OpenFile.content(of: descriptor, sizes: 0...limits.file) else { return nil }
        futimens(descriptor, nil)
        return bytes
    }

    /// Writes a file in place of a former one, and removes what exceeds the limit. A loss of power leaves the former or the new file.
    @discardableResult public func keep(_ bytes: [UInt8], as name: String) -> Bool {
        guard Self.isName(name), bytes.count <= limits.file else { return false }
        return writing.withLock { _ in
            let draft = path + "/" + Self.draft
            guard write(bytes, to: draft), rename(draft, path + "/" + name) == 0 else {
                unlink(draft)
                return false
            }
            removeExcess()
            return true
        }
    }

    private func write(_ bytes: [UInt8], to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return false }
            written += count
        }
        return fsync(descriptor) == 0
    }

    /// Removes files until the limit is met, first those that were used or written first.
    private func removeExcess() {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        var files: [(name: String, size: Int, seconds: Int, nanoseconds: Int)] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            var status = stat()
            guard Self.isName(name), fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            files.append((name, Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec))
        }
        var total = files.reduce(0) { $0 + $1.size }
        for file in files.sorted(by: { ($0.seconds, $0.nanoseconds) < ($1.seconds, $1.nanoseconds) }) where total > limits.total {
            unlinkat(dirfd(folder), file.name, 0)
            total -= file.size
        }
    }

    /// Whether a name has only lower-case hexadecimal digits and hyphens.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= largestName
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
    }
}
