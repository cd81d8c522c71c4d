import CFFmpeg
import PlaybackEngine

// One owner for each of FFmpeg's handles: the value's end frees it.

/// An `AVPacket`.
struct PacketHandle: ~Copyable {
    let raw: UnsafeMutablePointer<AVPacket>

    init() throws(PlaybackError) {
        guard let packet = av_packet_alloc() else { throw .outOfMemory }
        raw = packet
    }
    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = raw
        av_packet_free(&packet)
    }
}

/// An `AVFrame`.
struct FrameHandle: ~Copyable {
    let raw: UnsafeMutablePointer<AVFrame>

    init() throws(PlaybackError) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory }
        raw = frame
    }
    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = raw
        av_frame_free(&frame)
    }
}

/// An `AVCodecContext`.
struct CodecHandle: ~Copyable {
    let raw: UnsafeMutablePointer<AVCodecContext>

    init(_ codec: UnsafePointer<AVCodec>) throws(PlaybackError) {
        guard let context = avcodec_alloc_context3(codec) else { throw .outOfMemory }
        raw = context
    }
    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = raw
        avcodec_free_context(&context)
    }
}

/// A copy of a stream's `AVCodecParameters`, which outlives the stream.
struct ParametersHandle: ~Copyable {
    let raw: UnsafeMutablePointer<AVCodecParameters>

    init(copying parameters: UnsafePointer<AVCodecParameters>) throws(PlaybackError) {
        var copy = avcodec_parameters_alloc()
        guard let filled = copy, avcodec_parameters_copy(filled, parameters) >= 0 else {
            avcodec_parameters_free(&copy)
            throw .outOfMemory
        }
        raw = filled
    }
    deinit {
        var parameters: UnsafeMutablePointer<AVCodecParameters>? = raw
        avcodec_parameters_free(&parameters)
    }
}

/// An `AVFormatContext` whose input has been opened. It is closed before the bytes that it reads: closing may still look at them.
struct FormatHandle: ~Copyable {
    private(set) var raw: UnsafeMutablePointer<AVFormatContext>
    private let io: IOContext

    /// Takes over an opened context.
    init(owning context: UnsafeMutablePointer<AVFormatContext>, io: IOContext) {
        raw = context
        self.io = io
    }
    deinit { FormatHandle.close(raw) }

    /// Closes this context and takes over another's.
    mutating func replace(with other: consuming FormatHandle) {
        let old = raw
        raw = other.raw
        other.raw = old
    }

    private static func close(_ context: UnsafeMutablePointer<AVFormatContext>) {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }
}

/// An `SwrContext`.
struct SwrHandle: ~Copyable {
    let raw: OpaquePointer

    /// Takes over a context.
    init(owning context: OpaquePointer) { raw = context }
    deinit {
        var context: OpaquePointer? = raw
        swr_free(&context)
    }
}
