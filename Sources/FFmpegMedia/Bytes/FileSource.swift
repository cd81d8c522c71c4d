import Glibc
import Platform
import PlaybackEngine

/// Reads a regular file by its path; FIFOs and devices are refused, because reading them could block for ever.
final class FileSource: ByteSource {
    private let descriptor: Int32
    private(set) var offset: Int64 = 0

    /// Opens a file. If `followsLinks` is false, a path that contains a symbolic link is refused with `fileNotFound`.
    init(path: FilePath, followsLinks: Bool = true) throws(PlaybackError) {
        guard !path.bytes.contains(0) else { throw PlaybackError(.fileNotFound, "There is no such file.") }
        // The kind is checked before the file is opened, because opening some devices has side effects.
        var status = stat()
        guard path.withCString({ followsLinks ? stat($0, &status) : lstat($0, &status) }) == 0 else { throw FileSource.error(errno) }
        try FileSource.check(status)
        // Opening a FIFO that has replaced the file must not block. The kind is then checked again.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let opened = path.withCString { open($0, flags) }
        guard opened >= 0 else { throw FileSource.error(errno) }
        guard fstat(opened, &status) == 0 else {
            let code = errno
            close(opened)
            throw FileSource.error(code)
        }
        do throws(PlaybackError) {
            try FileSource.check(status)
            guard followsLinks || OpenFile.path(of: opened) == path.bytes else { throw FileSource.error(ENOENT) }
            guard status.st_size > 0 else { throw PlaybackError(.emptyFile, "The file is empty.") }
        } catch {
            close(opened)
            throw error
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    var isSeekable: Bool { true }
    var isRemote: Bool { false }
    var isLive: Bool { false }

    var length: Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The length on the disk; nil if the file system does not report it.
    var storedLength: Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_blocks > 0 ? Int64(status.st_blocks) * 512 : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 {
                offset += Int64(count)
                return count
            }
            guard errno == EINTR else { throw FileSource.error(errno) }
        }
    }

    func seek(to offset: Int64) throws(PlaybackError) { self.offset = max(0, offset) }

    private static func check(_ status: stat) throws(PlaybackError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: throw error(ENOENT)
        case S_IFDIR: throw PlaybackError(.notAFile, "The path names a folder, not a file.")
        default: throw PlaybackError(.notAFile, "The path names a device or a pipe, not a file.")
        }
    }

    private static func error(_ code: Int32) -> PlaybackError {
        let underlying = PlaybackError.Underlying(errno: code)
        return switch code {
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: PlaybackError(.fileNotFound, "There is no such file.", underlying: underlying)
        case EACCES, EPERM: PlaybackError(.permissionDenied, "There is no permission to read the file.", underlying: underlying)
        case EISDIR: PlaybackError(.notAFile, "The path names a folder, not a file.", underlying: underlying)
        case ENXIO, ENODEV: PlaybackError(.notAFile, "The path names a device or a pipe, not a file.", underlying: underlying)
        default: PlaybackError(.unknown, "The file could not be read.", underlying: underlying)
        }
    }
}
