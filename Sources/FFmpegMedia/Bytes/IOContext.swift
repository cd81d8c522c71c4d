import CFFmpeg
import PlaybackEngine

/// An `AVIOContext` (FFmpeg's object for input) over a `ByteSource`. FFmpeg holds a pointer to the `IOContext`, so the `IOContext` outlives FFmpeg's
/// context of the container.
final class IOContext {
    let source: any ByteSource
    let interrupt: Interrupt
    private(set) var raw: UnsafeMutablePointer<AVIOContext>?
    /// The last error of the byte source, which is kept because FFmpeg returns only an error code.
    private(set) var failure: PlaybackError?
    /// The object that receives the progress of a seek that reads up to its target; nil if nothing uses the progress.
    private(set) var seekProgress: SeekProgress?

    /// - Parameter goesBack: Whether the bytes of the medium that have been read can be read again, even if the byte source cannot seek.
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

    /// Frees FFmpeg's `AVIOContext` and its buffer. `IOContext.close` is idempotent.
    func close() {
        guard let context = raw else { return }
        raw = nil
        // FFmpeg may have replaced the buffer of the `AVIOContext`, so the present buffer is freed.
        av_freep(&context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    func setSeekProgress(_ progress: SeekProgress) { seekProgress = progress }

    /// Records an error of the byte source.
    func note(_ error: PlaybackError) { failure = error }

    /// Clears the recorded error and FFmpeg's state of failure, so that reading the medium can be tried again.
    func clearFailure() {
        failure = nil
        raw?.pointee.error = 0
        raw?.pointee.eof_reached = 0
    }

    /// Returns the error for an error code of FFmpeg. If the interrupt is raised, returns `cancelled`. If the byte source has failed, returns the
    /// byte source's own error, unless FFmpeg reports the end of the file or invalid data.
    func error(_ code: Int32, while task: FFmpegError.Task) -> PlaybackError {
        if interrupt.isRaised { return .cancelled }
        if code != FFmpegError.endOfFile, code != FFmpegError.invalidData, let failure { return failure }
        return FFmpegError.error(code, while: task)
    }

    /// Reads the medium's bytes from `offset` on until `buffer` is full or the medium ends, and returns their number. The byte offset of the source
    /// changes, so that FFmpeg may read only after the source has been moved back.
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

    /// Returns the bytes of a range of the medium; fewer bytes if the medium ends within the range. `bytes` does not change FFmpeg's buffer and its
    /// read offset.
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

    /// Returns the bytes of a range as `bytes` does, of a range after which reading continues elsewhere: the bytes after `part`, which begins with the
    /// range and is read next, are not transferred. Without `part`, they are the bytes after the range.
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

    /// Returns the bytes of a range of the medium; fewer bytes if the medium ends within the range, or if they cannot be read. `peek` does not change
    /// FFmpeg's buffer and its read offset.
    func peek(_ range: Range<Int64>) -> [UInt8] {
        let before = source.offset
        let count = range.count
        // For an empty range, `peek` returns an empty array without a call of the array's initializer: all threads share one empty array, and the
        // initializer would write to it.
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
