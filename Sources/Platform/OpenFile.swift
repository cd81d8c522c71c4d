import CLinux
import Glibc

/// A file or folder that is opened with `O_PATH`: its kind and path can be checked before a byte of it is read, and opening a FIFO or a device has no
/// effect. All methods use the opened object, even if its path now names another one: no path is looked up twice. All methods may block.
package final class OpenFile: Sendable {
    package enum Kind: Sendable { case directory, file, other }

    private let descriptor: Int32
    /// The path of the opened object, with every symbolic link resolved. It is read from `/proc`, which all reading of the object needs too.
    package let path: FilePath
    package let kind: Kind

    /// Opens a path, which contains no NUL; symbolic links are followed.
    package convenience init(_ path: FilePath) throws(SystemError) {
        try self.init(taking: path.withCString { CLinux_openPlace(AT_FDCWD, $0, 1) })
    }

    /// Opens the entry `name` of a folder. The name contains no NUL; a symbolic link is followed.
    package convenience init(_ name: [UInt8], in folder: OpenFile) throws(SystemError) {
        try self.init(
            taking: withExtendedLifetime(folder) { FilePath(bytes: name).withCString { CLinux_openPlace(folder.descriptor, $0, 0) } })
    }

    private init(taking descriptor: Int32) throws(SystemError) {
        guard descriptor >= 0 else { throw SystemError(operation: "open", code: errno) }
        errno = 0
        guard let status = Self.status(of: descriptor), let path = Self.path(of: descriptor) else {
            // The descriptor is open: only without /proc it has no entry there.
            let code = errno == ENOENT ? ENOSYS : errno == 0 ? ENAMETOOLONG : errno
            close(descriptor)
            throw SystemError(operation: "readlink", code: code)
        }
        self.descriptor = descriptor
        self.path = FilePath(bytes: path)
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .directory
            case S_IFREG: .file
            default: .other
            }
    }

    deinit { close(descriptor) }

    private static func path(of descriptor: Int32) -> [UInt8]? { target(ofLink: "/proc/self/fd/\(descriptor)", in: AT_FDCWD) }

    private static func target(ofLink path: FilePath, in folder: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = path.withCString { path in
            buffer.withUnsafeMutableBytes { bytes in bytes.baseAddress.map { readlinkat(folder, path, $0, bytes.count) } ?? -1 }
        }
        return count > 0 && count < buffer.count ? Array(buffer[..<count]) : nil
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    package var status: FileStatus? { Self.status(of: descriptor).map { FileStatus($0) } }

    /// The status of the entry `name` of this folder; for a symbolic link, that of the link itself. Nil if there is no such entry.
    package func status(ofName name: [UInt8]) -> FileStatus? {
        var status = stat()
        return FilePath(bytes: name).withCString { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) } == 0 ? FileStatus(status) : nil
    }

    /// The target of the symbolic link `name` of this folder, as the link has it; nil if there is no such link.
    package func target(ofLink name: [UInt8]) -> [UInt8]? { Self.target(ofLink: FilePath(bytes: name), in: descriptor) }

    package var isReadable: Bool { access("/proc/self/fd/\(descriptor)", R_OK) == 0 }

    /// Opens the object for reading. The caller closes the descriptor.
    package func reading() throws(SystemError) -> Int32 {
        let opened = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { throw SystemError(operation: "open", code: errno) }
        return opened
    }

    /// Opens the folder, so that its entries can be listed. The caller closes the returned directory stream.
    package func directory() throws(SystemError) -> OpaquePointer {
        let opened = try reading()
        guard let directory = fdopendir(opened) else {
            let code = errno
            close(opened)
            throw SystemError(operation: "fdopendir", code: code)
        }
        return directory
    }

    /// The content of a regular file; nil if its size in bytes is not in `sizes`, or it cannot be read.
    package func content(sizes: ClosedRange<Int>) -> [UInt8]? {
        guard kind == .file, let opened = try? reading() else { return nil }
        defer { close(opened) }
        guard let size = Self.status(of: opened).map({ Int($0.st_size) }), sizes.contains(size) else { return nil }
        let bytes = Self.read(opened, size)
        return bytes.count == size ? bytes : nil
    }

    /// The first bytes of a regular file, at most `length`; nil if it cannot be read.
    package func start(_ length: Int) -> [UInt8]? {
        guard kind == .file, let opened = try? reading() else { return nil }
        defer { close(opened) }
        return Self.read(opened, length)
    }

    /// Reads `length` bytes; fewer if the file ends before or cannot be read.
    private static func read(_ descriptor: Int32, _ length: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let part = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<length])
                let size = Glibc.read(descriptor, part.baseAddress, part.count)
                if size < 0, errno == EINTR { continue }
                guard size > 0 else { break }
                count += size
            }
        }
    }
}

/// What the system tells of a file.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    package let isSymbolicLink: Bool
    /// The size of the content, in bytes.
    package let size: Int64
    /// The numbers of the device, and of the file on it.
    package let device, file: UInt64
    /// The time of the last change of the content, in nanoseconds since 1970.
    package let changed: Int64

    init(_ status: stat) {
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isSymbolicLink = status.st_mode & S_IFMT == S_IFLNK
        size = Int64(status.st_size)
        (device, file) = (UInt64(status.st_dev), UInt64(status.st_ino))
        // The time is only compared, so an overflow does no harm.
        changed = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
