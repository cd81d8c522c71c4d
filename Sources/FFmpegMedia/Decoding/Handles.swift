import CFFmpeg
import PlaybackEngine

// Each object of FFmpeg has one owner, its handle, which frees the object when the handle's own life ends.

/// The owner of an `AVPacket`, FFmpeg's object for a packet.
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

/// The owner of an `AVFrame`, FFmpeg's object for decoded samples.
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

/// The owner of an `AVCodecContext`, FFmpeg's object for an open decoder or encoder.
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

/// The owner of a copy of a stream's `AVCodecParameters`, which outlives FFmpeg's stream.
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

/// The owner of an `AVFormatContext`, FFmpeg's object for an opened container. It also keeps the byte source, because closing the context may still
/// read from the source.
struct FormatHandle: ~Copyable {
    private(set) var raw: UnsafeMutablePointer<AVFormatContext>
    private let io: IOContext

    /// Takes ownership of an opened `AVFormatContext` and its byte source.
    init(owning context: UnsafeMutablePointer<AVFormatContext>, io: IOContext) {
        raw = context
        self.io = io
    }
    deinit { FormatHandle.close(raw) }

    /// Takes the `AVFormatContext` of another handle, and closes its own former one.
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

/// The owner of an `SwrContext`, FFmpeg's sample rate converter.
struct SwrHandle: ~Copyable {
    let raw: OpaquePointer
    /// The pool that receives the converter at the end, so that another medium can use its filters, and the key in the pool; nil if the converter is
    /// freed instead.
    private let successor: (pool: IdleConverters, key: IdleConverters.Key)?

    /// Takes ownership of an existing `SwrContext`.
    init(owning context: OpaquePointer) {
        raw = context
        successor = nil
    }

    /// Takes ownership of an existing `SwrContext`, and gives it to `pool` at the end; if `pool` is nil, it is freed.
    init(owning context: OpaquePointer, lentBy pool: IdleConverters?, for key: IdleConverters.Key) {
        raw = context
        successor = pool.map { ($0, key) }
    }

    deinit {
        // A converter that could not be opened is of no use to another medium.
        if let (pool, key) = successor, swr_is_initialized(raw) != 0 {
            pool.add(raw, for: key)
        } else {
            var context: OpaquePointer? = raw
            swr_free(&context)
        }
    }
}
