import CFFmpeg
import PlaybackEngine

/// Gives FFmpeg the bytes of a `ByteSource`, as an `AVIOContext` (FFmpeg's object for input). FFmpeg holds a pointer to the `IOContext`, so the
/// `IOContext` must outlive FFmpeg's context of the container.
final class IOContext {
    let source: any ByteSource
    let interrupt: Interrupt
    private(set) var raw: UnsafeMutablePointer<AVIOContext>?
    /// The last error of the byte source, which is kept because FFmpeg returns only an error code.
    private(set) var failure: PlaybackError?
    /// The object that receives the progress of a seek that reads all bytes up to its target; nil if nothing uses the progress.
    private(set) var seekProgress: SeekProgress?

    /// - Parameter goesBack: Whether FFmpeg may seek back within the bytes already read, although the byte source cannot seek.
    init(_ source: any ByteSource, interrupt: Interrupt, bufferSize: Int = 65_536, goesBack: Bool = false) throws(PlaybackError) {
        self.source = source
        self.interrupt = interrupt
        guard let buffer = av_malloc(bufferSize) else { throw .outOfMemory }
        let opaque = Unmanaged.passUnretained(self).toOpaque()
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        guard let context = avio_alloc_context(bytes, Int32(bufferSize), 0, opaque, ioContextRead, nil, ioContextSeek) else {
            av_free(buffer)
            throw .outOfMemory
        }
        if !source.isSeekable, !goesBack { context.pointee.seekable = 0 }
        raw = context
    }

    deinit { close() }

    /// Frees FFmpeg's `AVIOContext` and its buffer. Further calls have no effect.
    func close() {
        guard let context = raw else { return }
        raw = nil
        // FFmpeg may have replaced the buffer, so the context's present buffer is freed and not the one allocated in `init`.
        av_freep(&context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    func setSeekProgress(_ progress: SeekProgress) { seekProgress = progress }

    /// Records an error of the byte source.
    func note(_ error: PlaybackError) { failure = error }

    /// Clears the recorded error and FFmpeg's own error state, so that reading the medium can be tried again.
    func clearFailure() {
        failure = nil
        raw?.pointee.error = 0
        raw?.pointee.eof_reached = 0
    }

    /// Returns the error for an error code of FFmpeg: `cancelled` if the interrupt is raised, otherwise the recorded error of the byte source. If the
    /// byte source has not failed, or if FFmpeg reports the end of the file or invalid data, returns the error that `FFmpegError` makes from `code`.
    func error(_ code: Int32, while task: FFmpegError.Task) -> PlaybackError {
        if interrupt.isRaised { return .cancelled }
        if code != FFmpegError.endOfFile, code != FFmpegError.invalidData, let failure { return failure }
        return FFmpegError.error(code, while: task)
    }

    /// Reads the medium's bytes from `offset` on until `buffer` is full or the medium ends, and returns their number. The offset of the source is
    /// then the end of these bytes: the caller must seek back before FFmpeg reads again.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        try source.seek(to: offset)
        var filled = 0
        while filled < buffer.count {
            if interrupt.isRaised { throw .cancelled }
            let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Returns the bytes of a range of the medium; fewer bytes if the medium ends within the range. FFmpeg's buffer and its read offset do not
    /// change.
    ///
    /// Throws the errors of the byte source, and `cancelled` if the interrupt is raised.
    func bytes(_ range: Range<Int64>) throws(PlaybackError) -> [UInt8] {
        let before = source.offset, buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
        defer {
            buffer.deallocate()
            // If the source supports seeking, this only stores the offset.
            try? source.seek(to: before)
        }
        let read = try read(at: range.lowerBound, into: buffer)
        return Array(buffer[..<read])
    }

    /// Returns the bytes of a range like `bytes`, for a caller that continues elsewhere after the range: no bytes after the range are transferred.
    ///
    /// - Parameter part: A longer range with the same start, which the caller reads completely; then no bytes after `part` are transferred. Nil if
    ///   there is none.
    func separateBytes(_ range: Range<Int64>, of part: Range<Int64>? = nil) throws(PlaybackError) -> [UInt8] {
        var present = [UInt8](repeating: 0, count: range.count)
        if present.withUnsafeMutableBytes({ source.copyPresent(at: range.lowerBound, into: $0) }) == range.count { return present }
        source.setNeeded(part ?? range)
        return try bytes(range)
    }

    /// Discards the bytes in FFmpeg's buffer, so that FFmpeg reads them again from the source, at the same offset.
    func discardBuffer() throws(PlaybackError) {
        guard let raw else { return }
        let at = avio_seek(raw, 0, SEEK_CUR)
        raw.pointee.buf_ptr = raw.pointee.buffer
        raw.pointee.buf_end = raw.pointee.buffer
        raw.pointee.pos = at
        try source.seek(to: at)
    }

    /// Returns the bytes of a range of the medium; fewer bytes if the medium ends within the range, or if they cannot be read. FFmpeg's buffer and
    /// its read offset do not change.
    func peek(_ range: Range<Int64>) -> [UInt8] {
        let before = source.offset
        let count = range.count
        // For an empty range, the array's initializer must not be called: all threads share one empty array, and the initializer would write to it.
        guard count > 0, (try? source.seek(to: range.lowerBound)) != nil else { return [] }
        defer { try? source.seek(to: before) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            filled = 0
            while filled < count, let got = try? source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled..<count])), got > 0 {
                filled += got
            }
        }
    }
}
