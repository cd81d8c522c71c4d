import CFFmpeg
import Glibc
import PlaybackEngine

/// One audio decoder of FFmpeg. The caller gives each packet its position on the timeline as timestamp, in frames, so that each decoded frame has its
/// own position too.
final class Decoder {
    private let handle: CodecHandle
    private let frameHandle: FrameHandle
    var context: UnsafeMutablePointer<AVCodecContext> { handle.raw }
    /// The `AVFrame` into which `receive` writes decoded samples.
    var frame: UnsafeMutablePointer<AVFrame> { frameHandle.raw }

    /// Opens a decoder for an audio stream.
    init(_ codec: UnsafePointer<AVCodec>, parameters: UnsafePointer<AVCodecParameters>) throws(PlaybackError) {
        handle = try CodecHandle(codec)
        frameHandle = try FrameHandle()
        let context = handle.raw
        var code = avcodec_parameters_to_context(context, parameters)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
        context.pointee.thread_count = 1
        // FFmpeg's decoders of TTA and WavPack detect damage only by checksums, and check these only on request.
        if codec.pointee.id == AV_CODEC_ID_TTA || codec.pointee.id == AV_CODEC_ID_WAVPACK {
            context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
        }
        // FFmpeg must not trim samples, because positions are counted in the decoder's untrimmed output.
        context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        context.pointee.pkt_timebase = AVRational(num: 1, den: max(1, parameters.pointee.sample_rate))
        code = avcodec_open2(context, codec, nil)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
    }

    /// The number of packets sent since the decoder was opened or flushed; nil after the decoder has returned its first frame.
    ///
    /// It serves to find a preliminary frame of Vorbis. The first packet of a Vorbis stream completes no samples (Vorbis I, 4.3.8): FFmpeg 5.1
    /// returns no frame for it, FFmpeg 7.1 a preliminary frame whose samples must all be skipped. `receive` discards the preliminary frame.
    /// `isPreliminary` recognises it, because only one packet was sent before it; or, after damaged packets, because the frame itself states that all
    /// its samples are skipped.
    private var packetsBeforeFrame: Int? = 0
    /// Whether the end of the stream was sent, so that the decoder returns only frames that it has delayed.
    ///
    /// FFmpeg 7.1 gives each delayed frame the timestamp of the last packet, FFmpeg 5.1 gives it none. `receive` removes the timestamp: a delayed
    /// frame follows the frame before it.
    private var isDraining = false

    /// Sends a packet to the decoder; nil marks the end of the stream. Returns false if the decoder has refused the packet, which is then corrupt.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws(PlaybackError) -> Bool {
        let code = avcodec_send_packet(context, packet)
        if packet != nil { packetsBeforeFrame? += 1 } else { isDraining = true }
        if code == -ENOMEM { throw .outOfMemory }
        return code >= 0 || code == FFmpegError.endOfFile
    }

    /// The result of `Decoder.receive`.
    enum Outcome { case frame, needsPacket, end, corrupt }

    /// Receives the next decoded samples into `frame`.
    func receive() throws(PlaybackError) -> Outcome {
        let code = avcodec_receive_frame(context, frame)
        switch code {
        case 0:
            if let packets = packetsBeforeFrame {
                packetsBeforeFrame = nil
                if context.pointee.codec_id == AV_CODEC_ID_VORBIS, isPreliminary(after: packets) { return try receive() }
            }
            if isDraining { frame.pointee.pts = CFFmpeg_noTimestamp() }
            // Hostile data can make a decoder return anything. A decoded frame without samples, channels or a rate counts as corrupt.
            let valid = frame.pointee.nb_samples > 0 && frame.pointee.ch_layout.nb_channels > 0 && frame.pointee.sample_rate > 0
            return valid ? .frame : .corrupt
        case FFmpegError.tryAgain: return .needsPacket
        case FFmpegError.endOfFile: return .end
        case -ENOMEM: throw .outOfMemory
        default: return .corrupt
        }
    }

    /// Discards the decoder's state, and all packets that it has not decoded yet.
    func flush() {
        avcodec_flush_buffers(context)
        packetsBeforeFrame = 0
        isDraining = false
    }

    /// Returns whether the first decoded frame of a Vorbis stream is preliminary: it belongs to the stream's first packet, so that all its samples
    /// must be skipped. `packets` is the number of packets that were sent before it.
    private func isPreliminary(after packets: Int) -> Bool {
        packets == 1 || SkipSamples(UnsafePointer(frame)).map { $0.start >= Int(frame.pointee.nb_samples) } ?? false
    }
}
