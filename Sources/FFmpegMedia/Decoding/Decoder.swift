import CFFmpeg
import Glibc
import PlaybackEngine

/// One audio decoder. The timestamp of a packet is the packet's position on the timeline, and each decoded frame carries its own position.
final class Decoder {
    private let handle: CodecHandle
    private let frameHandle: FrameHandle
    var context: UnsafeMutablePointer<AVCodecContext> { handle.raw }
    /// The frame that `receive` has filled with samples.
    var frame: UnsafeMutablePointer<AVFrame> { frameHandle.raw }

    /// Opens a decoder for a stream.
    init(_ codec: UnsafePointer<AVCodec>, parameters: UnsafePointer<AVCodecParameters>) throws(PlaybackError) {
        handle = try CodecHandle(codec)
        frameHandle = try FrameHandle()
        let context = handle.raw
        var code = avcodec_parameters_to_context(context, parameters)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
        context.pointee.thread_count = 1
        // The decoders of TTA and WavPack detect damage only by checksums, which they check only on request.
        if codec.pointee.id == AV_CODEC_ID_TTA || codec.pointee.id == AV_CODEC_ID_WAVPACK {
            context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
        }
        // The decoder must not trim samples, because positions are counted in its untrimmed output.
        context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        context.pointee.pkt_timebase = AVRational(num: 1, den: max(1, parameters.pointee.sample_rate))
        code = avcodec_open2(context, codec, nil)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
    }

    /// The number of packets sent since the decoder was opened or flushed; nil after the first frame has been received.
    ///
    /// The first packet of Vorbis completes no samples (Vorbis I, 4.3.8). FFmpeg 5.1 returns no frame for it. FFmpeg 7.1 returns a frame whose
    /// samples must all be skipped; `receive` discards it. `isPreliminary` recognises it: exactly one packet was sent before it, or, after damaged
    /// packets, the frame itself states that all its samples are skipped.
    private var packetsBeforeFrame: Int? = 0

    /// Sends a packet to the decoder; nil marks the end of the stream. Returns false if the packet is corrupt.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws(PlaybackError) -> Bool {
        let code = avcodec_send_packet(context, packet)
        if packet != nil { packetsBeforeFrame? += 1 }
        if code == -ENOMEM { throw .outOfMemory }
        return code >= 0 || code == FFmpegError.endOfFile
    }

    /// The result of `receive`.
    enum Outcome { case frame, needsPacket, end, corrupt }

    /// Receives the next decoded block of samples into `frame`.
    func receive() throws(PlaybackError) -> Outcome {
        let code = avcodec_receive_frame(context, frame)
        switch code {
        case 0:
            if let packets = packetsBeforeFrame {
                packetsBeforeFrame = nil
                if context.pointee.codec_id == AV_CODEC_ID_VORBIS, isPreliminary(after: packets) { return try receive() }
            }
            // Hostile data can make a decoder return anything: a frame without samples, channels or a rate counts as corrupt.
            let valid = frame.pointee.nb_samples > 0 && frame.pointee.ch_layout.nb_channels > 0 && frame.pointee.sample_rate > 0
            return valid ? .frame : .corrupt
        case FFmpegError.tryAgain: return .needsPacket
        case FFmpegError.endOfFile: return .end
        case -ENOMEM: throw .outOfMemory
        default: return .corrupt
        }
    }

    /// Discards all packets that were sent to the decoder.
    func flush() {
        avcodec_flush_buffers(context)
        packetsBeforeFrame = 0
    }

    /// Returns whether the first frame of Vorbis belongs to the first packet, so that all its samples must be skipped. `packets` is the number of
    /// packets sent before it.
    private func isPreliminary(after packets: Int) -> Bool {
        packets == 1 || SkipSamples(UnsafePointer(frame)).map { $0.start >= Int(frame.pointee.nb_samples) } ?? false
    }
}
