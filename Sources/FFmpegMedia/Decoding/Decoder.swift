import CFFmpeg
import Glibc
import PlaybackEngine

/// One audio decoder. A packet's timestamp is its position on the timeline, and each frame carries its own position.
final class Decoder {
    private let handle: CodecHandle
    private let frameHandle: FrameHandle
    var context: UnsafeMutablePointer<AVCodecContext> { handle.raw }
    /// The frame that `receive` has filled.
    var frame: UnsafeMutablePointer<AVFrame> { frameHandle.raw }

    /// Opens a decoder for a stream.
    init(_ codec: UnsafePointer<AVCodec>, parameters: UnsafePointer<AVCodecParameters>) throws(PlaybackError) {
        handle = try CodecHandle(codec)
        frameHandle = try FrameHandle()
        let context = handle.raw
        var code = avcodec_parameters_to_context(context, parameters)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
        context.pointee.thread_count = 1
        // These two detect damage only by checksums, which they check only on request.
        if codec.pointee.id == AV_CODEC_ID_TTA || codec.pointee.id == AV_CODEC_ID_WAVPACK {
            context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
        }
        // The decoder must not trim: positions count its untrimmed output.
        context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        context.pointee.pkt_timebase = AVRational(num: 1, den: max(1, parameters.pointee.sample_rate))
        code = avcodec_open2(context, codec, nil)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
    }

    /// Packets sent since the decoder was opened or flushed; nil after the first frame.
    ///
    /// The first packet of Vorbis completes no samples (Vorbis I, 4.3.8). FFmpeg 5.1 returns no frame for it. FFmpeg 7.1 returns a frame whose
    /// samples must all be skipped, which `receive` discards: it follows a single packet, or, after damaged packets, states the skip itself.
    private var packetsBeforeFrame: Int? = 0

    /// Sends a packet, or nil for the end; false if the packet is corrupt.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws(PlaybackError) -> Bool {
        let code = avcodec_send_packet(context, packet)
        if packet != nil { packetsBeforeFrame? += 1 }
        if code == -ENOMEM { throw .outOfMemory }
        return code >= 0 || code == FFmpegError.endOfFile
    }

    /// The result of `receive`.
    enum Outcome { case frame, needsPacket, end, corrupt }

    /// Receives the next frame into `frame`.
    func receive() throws(PlaybackError) -> Outcome {
        let code = avcodec_receive_frame(context, frame)
        switch code {
        case 0:
            if let packets = packetsBeforeFrame {
                packetsBeforeFrame = nil
                if context.pointee.codec_id == AV_CODEC_ID_VORBIS, isPreliminary(after: packets) { return try receive() }
            }
            // Hostile data can make a decoder claim anything: a frame without samples, channels or a rate is not passed on.
            let valid = frame.pointee.nb_samples > 0 && frame.pointee.ch_layout.nb_channels > 0 && frame.pointee.sample_rate > 0
            return valid ? .frame : .corrupt
        case FFmpegError.tryAgain: return .needsPacket
        case FFmpegError.endOfFile: return .end
        case -ENOMEM: throw .outOfMemory
        default: return .corrupt
        }
    }

    /// Discards everything that was sent.
    func flush() {
        avcodec_flush_buffers(context)
        packetsBeforeFrame = 0
    }

    /// Whether the first frame of Vorbis is that of the first packet.
    private func isPreliminary(after packets: Int) -> Bool {
        packets == 1 || SkipSamples(UnsafePointer(frame)).map { $0.start >= Int(frame.pointee.nb_samples) } ?? false
    }
}
