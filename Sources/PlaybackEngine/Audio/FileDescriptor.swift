import Glibc

/// Writing whole runs of bytes to a descriptor.
enum FileDescriptor {
    /// Writes all of `bytes`, at `offset` where there is one, else where the descriptor stands.
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
}

extension PlaybackError {
    /// A file or a stream that is written to refuses, with this `errno`.
    static func unwritable(_ code: Int32) -> PlaybackError {
        PlaybackError(
            .outputUnavailable, "The output file cannot be written.",
            underlying: Underlying(domain: "POSIX", code: Int(code), message: String(cString: strerror(code))))
    }
}
