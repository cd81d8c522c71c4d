import CFFmpeg
import PlaybackEngine

/// An `AVIOContext` over a `ByteSource`. FFmpeg holds a pointer to this object, which therefore outlives the demuxer's context.
final class IOContext {
    let source: any ByteSource
    let interrupt: Interrupt
    private(set) var raw: UnsafeMutablePointer<AVIOContext>?
    /// The source's last error, because FFmpeg passes on only a number.
    var failure: PlaybackError?

    /// - Parameter goesBack: Whether bytes that were read can be read again, whatever the source says.
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

    /// Frees FFmpeg's context and its buffer. Idempotent.
    func close() {
        guard let context = raw else { return }
        raw = nil
        // FFmpeg may have replaced the buffer.
        av_freep(&context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    /// Clears a failure, so that reading can be tried again.
    func clearFailure() {
        failure = nil
        raw?.pointee.error = 0
        raw?.pointee.eof_reached = 0
    }

    /// Returns the error for an FFmpeg code: the source's own, if it has one.
    func error(_ code: Int32, while task: FFmpegError.Task) -> PlaybackError {
        if interrupt.isRaised { return .cancelled }
        if code != FFmpegError.endOfFile, code != FFmpegError.invalidData, let failure { return failure }
        return FFmpegError.error(code, while: task)
    }
}
