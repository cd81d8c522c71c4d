import Glibc

enum FileDescriptor {
    /// At the byte offset `offset`, or at the descriptor's own.
    static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int? = nil) throws(PlaybackError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                guard let offset else { return Glibc.write(descriptor, rest.baseAddress, rest.count) }
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .unwritable(count < 0 ? errno : EIO) }
            done += count
        }
    }

    /// Throws if `path` is a regular file that is neither empty nor WAV (`RIFF` or `RF64`, then `WAVE` in bytes 9 to 12): a user may have named a
    /// file of another kind as the output by mistake.
    static func checkOverwriting(_ path: String) throws(PlaybackError) {
        var status = stat(), head = [UInt8](repeating: 0, count: 12)
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        // If the file cannot be written either, opening it fails later.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let isWave =
            read(descriptor, &head, head.count) == head.count && ["RIFF", "RF64"].contains { head.starts(with: $0.utf8) }
            && head[8...].elementsEqual("WAVE".utf8)
        if !isWave { throw PlaybackError(.outputUnavailable, "The output file exists and is not a WAV file. It was not overwritten.") }
    }
}

extension PlaybackError {
    /// `code` is the `errno` of the failed write.
    static func unwritable(_ code: Int32) -> PlaybackError {
        PlaybackError(.outputUnavailable, "The output file cannot be written.", underlying: Underlying(errno: code))
    }
}
