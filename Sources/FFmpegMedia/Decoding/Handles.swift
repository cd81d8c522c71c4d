import CFFmpeg
import PlaybackEngine

// Each object of FFmpeg has one owner, which frees it.

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

/// An open decoder or encoder.
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

/// A copy of a stream's parameters that outlives FFmpeg's stream.
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

/// An opened container with its byte source, from which closing may still read.
struct FormatHandle: ~Copyable {
    private(set) var raw: UnsafeMutablePointer<AVFormatContext>
    private let io: IOContext

    init(owning context: UnsafeMutablePointer<AVFormatContext>, io: IOContext) {
        raw = context
        self.io = io
    }
    deinit { FormatHandle.close(raw) }

    /// Replaces the container by another, and closes the former one.
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

struct SwrHandle: ~Copyable {
    let raw: OpaquePointer
    /// The pool that receives the converter when this handle ends, for another medium; nil if the converter is freed then.
    private let successor: (pool: IdleConverters, key: IdleConverters.Key)?

    init(owning context: OpaquePointer) {
        raw = context
        successor = nil
    }

    /// Owns a converter that is given to `pool` at the end; without a pool, it is freed.
    init(owning context: OpaquePointer, lentBy pool: IdleConverters?, for key: IdleConverters.Key) {
        raw = context
        successor = pool.map { ($0, key) }
    }

    deinit {
        // A converter that could not be opened is of no use.
        if let (pool, key) = successor, swr_is_initialized(raw) != 0 {
            pool.add(raw, for: key)
        } else {
            var context: OpaquePointer? = raw
            swr_free(&context)
        }
    }
}
