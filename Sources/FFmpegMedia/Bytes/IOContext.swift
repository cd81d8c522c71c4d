import CFFmpeg
import CFFmpegLimits
import Glibc
import PlaybackEngine

/// Gives FFmpeg the bytes of a `ByteSource`, as an `AVIOContext`. The object must outlive FFmpeg's context of the container, which points to it.
final class IOContext {
    let source: any ByteSource
    let interrupt: Interrupt
    private(set) var raw: UnsafeMutablePointer<AVIOContext>?
    /// The last error of the source, which is kept because FFmpeg returns only an error code.
    private(set) var failure: PlaybackError?
    /// The receiver of the progress of a seek that reads all bytes up to its target.
    private(set) var seekProgress: SeekProgress?

    /// - Parameter goesBack: Whether FFmpeg may seek within the bytes already read, although the source cannot seek.
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

    /// Frees the context, if it exists.
    func close() {
        guard let context = raw else { return }
        raw = nil
        // FFmpeg may have replaced the buffer of `init`.
        av_freep(&context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    /// Throws if the reading has to end: if the interrupt is raised, or the budget is used up (`BudgetedSource`), whatever FFmpeg has returned.
    func check() throws(PlaybackError) {
        if interrupt.isRaised { throw .cancelled }
        if let failure, failure.isExhaustion { throw failure }
    }

    func setSeekProgress(_ progress: SeekProgress) { seekProgress = progress }

    func note(_ error: PlaybackError) { failure = error }

    /// The stream that FFmpeg seeks in, and the last time in its index; nil if no seek is in progress. Without cues, FFmpeg reads all blocks up to
    /// the target in one call, and indexes them.
    private var indexed: (stream: UnsafeMutablePointer<AVStream>, last: Int64)?

    /// Counts the blocks that FFmpeg indexes during `seek` as audio, so that they renew the budget of the reading.
    func indexing(_ stream: UnsafeMutablePointer<AVStream>, during seek: () -> Int32) -> Int32 {
        indexed = (stream, IOContext.lastIndexed(stream) ?? .min)
        defer { indexed = nil }
        return seek()
    }

    fileprivate func noteIndexed() {
        guard let (stream, last) = indexed, let time = IOContext.lastIndexed(stream), time > last else { return }
        indexed = (stream, time)
        source.noteProgress()
    }

    private static func lastIndexed(_ stream: UnsafeMutablePointer<AVStream>) -> Int64? {
        let count = avformat_index_get_entries_count(stream)
        return count > 0 ? avformat_index_get_entry(stream, count - 1)?.pointee.timestamp : nil
    }

    /// Clears the error, and FFmpeg's own error state, so that reading can be tried again.
    func clearFailure() {
        failure = nil
        raw?.pointee.error = 0
        raw?.pointee.eof_reached = 0
    }

    /// The error for FFmpeg's code: that of `check`, otherwise the recorded error. `FFmpegError` converts the code if none is recorded, and for the
    /// end of the file and invalid data.
    func error(_ code: Int32, while task: FFmpegError.Task) -> PlaybackError {
        do throws(PlaybackError) { try check() } catch { return error }
        if code != FFmpegError.endOfFile, code != FFmpegError.invalidData, let failure { return failure }
        return FFmpegError.error(code, while: task)
    }

    /// The bytes of a range; fewer if the medium ends before. FFmpeg's buffer and offset do not change.
    func bytes(_ range: Range<Int64>) throws(PlaybackError) -> [UInt8] {
        let before = source.offset, buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
        defer {
            buffer.deallocate()
            // If the source can seek, this only stores the offset.
            try? source.seek(to: before)
        }
        try source.seek(to: range.lowerBound)
        var filled = 0
        while filled < buffer.count {
            let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            if count == 0 { break }
            filled += count
        }
        return Array(buffer[..<filled])
    }

    /// The bytes of a range, for a caller that reads on at another offset: no byte after the range (or after `part`) is transferred.
    /// - Parameter part: A longer range with the same start that the caller reads completely; nil if there is none.
    func separateBytes(_ range: Range<Int64>, of part: Range<Int64>? = nil) throws(PlaybackError) -> [UInt8] {
        var present = [UInt8](repeating: 0, count: range.count)
        if present.withUnsafeMutableBytes({ source.copyPresent(at: range.lowerBound, into: $0) }) == range.count { return present }
        source.setNeeded(part ?? range)
        return try bytes(range)
    }

    /// Discards FFmpeg's buffered bytes, so that FFmpeg reads them again, at the same offset.
    func discardBuffer() throws(PlaybackError) {
        guard let raw else { return }
        let at = avio_seek(raw, 0, SEEK_CUR)
        raw.pointee.buf_ptr = raw.pointee.buffer
        raw.pointee.buf_end = raw.pointee.buffer
        raw.pointee.pos = at
        try source.seek(to: at)
    }

    /// The bytes of a range; fewer if the medium ends before, or they cannot be read. FFmpeg's buffer and offset do not change.
    func peek(_ range: Range<Int64>) -> [UInt8] {
        let before = source.offset
        let count = range.count
        // All threads share one empty array, to which the initializer would write.
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

// FFmpeg calls the following functions to read a medium, on the reader's own thread.

/// Implements `AVIOContext.read_packet`.
func ioContextRead(_ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int32) -> Int32 {
    guard let opaque, let buffer, size > 0 else { return -EINVAL }
    let io = Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue()
    if CFFmpegLimits_isExceeded() != 0 { return FFmpegError.exit }
    io.noteIndexed()
    do {
        let count = try io.source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
        return count == 0 ? FFmpegError.endOfFile : Int32(count)
    } catch {
        io.note(error)
        return error.code == .cancelled ? FFmpegError.exit : -EIO
    }
}

/// Implements `AVIOContext.seek`.
func ioContextSeek(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
    guard let opaque else { return Int64(-EINVAL) }
    let io = Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue()
    let target: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return io.source.length ?? Int64(-ENOSYS)
    case SEEK_SET: target = offset
    case SEEK_CUR: target = io.source.offset.addingReportingOverflow(offset).partialValue
    case SEEK_END:
        guard let length = io.source.length else { return Int64(-ENOSYS) }
        target = length.addingReportingOverflow(offset).partialValue
    default: return Int64(-EINVAL)
    }
    guard target >= 0 else { return Int64(-EINVAL) }
    do {
        try io.source.seek(to: target)
        return target
    } catch {
        io.note(error)
        return Int64(error.code == .cancelled ? FFmpegError.exit : -EIO)
    }
}

/// Implements `AVFormatContext.interrupt_callback`: whether FFmpeg must stop its current call.
func ioContextInterrupt(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque else { return 0 }
    return Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue().interrupt.isRaised ? 1 : 0
}

/// Implements `AVFormatContext.io_open`: refuses, so that a demuxer can open nothing but its own medium.
func ioContextRefuse(
    _ context: UnsafeMutablePointer<AVFormatContext>?, _ io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?, _ url: UnsafePointer<CChar>?,
    _ flags: Int32, _ options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    io?.pointee = nil
    return -EACCES
}
