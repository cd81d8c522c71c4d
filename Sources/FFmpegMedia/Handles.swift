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

/// An `AVFormatContext` whose input has been opened, and the bytes that it reads.
struct FormatHandle: ~Copyable {
    let raw: UnsafeMutablePointer<AVFormatContext>
    private let io: IOContext

    /// Takes over an opened context.
    init(owning context: UnsafeMutablePointer<AVFormatContext>, io: IOContext) {
        raw = context
        self.io = io
    }
    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = raw
        // In this order: closing a demuxer may still look at its bytes.
        avformat_close_input(&context)
        io.close()
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
