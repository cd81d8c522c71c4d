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
        let file: OpenFile
        do throws(SystemError) { file = try OpenFile(path) } catch { throw FileSource.error(error.code) }
        guard followsLinks || file.path == path else { throw FileSource.error(ENOENT) }
        // The kind is checked before the file is opened for reading, because that has side effects on some devices.
        switch file.kind {
        case .file: break
        case .directory: throw PlaybackError(.notAFile, "The path names a folder, not a file.")
        case .other: throw PlaybackError(.notAFile, "The path names a device or a pipe, not a file.")
        }
        do throws(SystemError) { descriptor = try file.reading() } catch { throw FileSource.error(error.code) }
        guard length != 0 else { throw PlaybackError(.emptyFile, "The file is empty.") }
    }

    deinit { close(descriptor) }

    var isSeekable: Bool { true }
    var isRemote: Bool { false }
    var isLive: Bool { false }

    var length: Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The number of bytes that the file occupies on the disk; nil if the file system does not report it.
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

    private static func error(_ code: Int32) -> PlaybackError {
        let underlying = PlaybackError.Underlying(errno: code)
        return switch code {
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: PlaybackError(.fileNotFound, "There is no such file.", underlying: underlying)
        case EACCES, EPERM: PlaybackError(.permissionDenied, "There is no permission to read the file.", underlying: underlying)
        case EISDIR: PlaybackError(.notAFile, "The path names a folder, not a file.", underlying: underlying)
        case ENXIO, ENODEV: PlaybackError(.notAFile, "The path names a device or a pipe, not a file.", underlying: underlying)
        case ENOSYS: PlaybackError(.unknown, "The file cannot be read, because /proc is not mounted.", underlying: underlying)
        default: PlaybackError(.unknown, "The file could not be read.", underlying: underlying)
        }
    }
}
