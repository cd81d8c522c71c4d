import Glibc

/// A WAV file that is being written. The header of the file is valid after each `append`.
struct WaveFile: ~Copyable {
    let format: AudioFormat
    private let header: WaveHeader
    private let descriptor: Int32
    private let headerBytes: Int
    private var dataBytes = 0
    private var noise: DitherNoise?

    /// Creates the file, or empties an existing one.
    init(path: String, format: AudioFormat, encoding: WaveEncoding, dither: Dither) throws(PlaybackError) {
        self.format = format
        noise = dither == .tpdf ? DitherNoise(channelCount: format.channelCount) : nil
        header = WaveHeader(format: format, encoding: encoding)
        let bytes = header.bytes(.known(0))
        headerBytes = bytes.count
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .unwritable(errno) }
        do throws(PlaybackError) {
            try FileDescriptor.write(bytes, to: descriptor, at: 0)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError) {
        let bytes = header.encoding.bytes(of: samples, noise: &noise), end = dataBytes + bytes.count
        // The padding of an odd number of bytes is overwritten by the next samples.
        do throws(PlaybackError) {
            try FileDescriptor.write(bytes + (end % 2 == 1 ? [0] : []), to: descriptor, at: headerBytes + dataBytes)
        } catch {
            // The header still describes the samples before; what was written of these is removed.
            _ = ftruncate(descriptor, off_t(headerBytes + dataBytes + dataBytes % 2))
            throw error
        }
        dataBytes = end
        try FileDescriptor.write(header.bytes(.known(dataBytes)), to: descriptor, at: 0)
    }
}

enum FileDescriptor {
    /// Writes bytes at the byte offset `offset` of the file; if it is nil, at the descriptor's present offset.
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
        // A file that cannot be read is not checked. If it cannot be written either, opening it for writing fails later.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let isWave =
            read(descriptor, &head, head.count) == head.count && ["RIFF", "RF64"].contains { head.starts(with: $0.utf8) }
            && head[8...].elementsEqual("WAVE".utf8)
        if !isWave { throw PlaybackError(.outputUnavailable, "The output file exists and is not a WAV file. It was not overwritten.") }
    }
}

extension PlaybackError {
    /// The error for a file that cannot be written; `code` is the `errno`.
    static func unwritable(_ code: Int32) -> PlaybackError {
        PlaybackError(.outputUnavailable, "The output file cannot be written.", underlying: Underlying(errno: code))
    }
}
