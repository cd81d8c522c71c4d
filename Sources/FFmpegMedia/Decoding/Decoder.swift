import CFFmpeg
import Glibc
import PlaybackEngine

/// One audio decoder of FFmpeg. `Decoder` uses a packet's timestamp as the packet's position on the timeline, and each decoded frame carries its own
/// position.
final class Decoder {
    private let handle: CodecHandle
    private let frameHandle: FrameHandle
    var context: UnsafeMutablePointer<AVCodecContext> { handle.raw }
    /// The `AVFrame` that `receive` has filled with decoded samples.
    var frame: UnsafeMutablePointer<AVFrame> { frameHandle.raw }

    /// Opens a decoder for an audio stream.
    init(_ codec: UnsafePointer<AVCodec>, parameters: UnsafePointer<AVCodecParameters>) throws(PlaybackError) {
        handle = try CodecHandle(codec)
        frameHandle = try FrameHandle()
        let context = handle.raw
        var code = avcodec_parameters_to_context(context, parameters)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
        context.pointee.thread_count = 1
        // FFmpeg's decoders of TTA and WavPack detect damage only by checksums, which they check only on request.
        if codec.pointee.id == AV_CODEC_ID_TTA || codec.pointee.id == AV_CODEC_ID_WAVPACK {
            context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
        }
        // The decoder must not trim samples, because positions are counted in the decoder's untrimmed output.
        context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        context.pointee.pkt_timebase = AVRational(num: 1, den: max(1, parameters.pointee.sample_rate))
        code = avcodec_open2(context, codec, nil)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
    }

    /// The number of packets sent since the decoder was opened or flushed; nil after the decoder has returned its first frame.
    ///
    /// The first packet of a Vorbis stream completes no samples (Vorbis I, 4.3.8). For the first packet of a Vorbis stream, FFmpeg 5.1 returns no
    /// frame, and FFmpeg 7.1 returns a preliminary frame whose samples must all be skipped. `receive` discards the preliminary frame, which
    /// `isPreliminary` recognises: exactly one packet was sent before it. After damaged packets, the preliminary frame is recognised because it
    /// states itself that all its samples are skipped.
    private var packetsBeforeFrame: Int? = 0
    /// Whether the end of the stream was sent, so that the decoder returns only frames that it has delayed.
    ///
    /// FFmpeg 7.1 gives each delayed frame the timestamp of the last packet; FFmpeg 5.1 gives it none. `receive` removes the timestamp, because a
    /// delayed frame follows the frame before it.
    private var isDraining = false

    /// Sends a packet to the decoder; a packet of nil marks the end of the stream. Returns false if the packet is corrupt and the decoder has refused
    /// it.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws(PlaybackError) -> Bool {
        let code = avcodec_send_packet(context, packet)
        if packet != nil { packetsBeforeFrame? += 1 } else { isDraining = true }
        if code == -ENOMEM { throw .outOfMemory }
        return code >= 0 || code == FFmpegError.endOfFile
    }

    /// The result of `Decoder.receive`.
    enum Outcome { case frame, needsPacket, end, corrupt }

    /// Receives the next decoded samples from FFmpeg into the `AVFrame` `frame`.
    func receive() throws(PlaybackError) -> Outcome {
        let code = avcodec_receive_frame(context, frame)
        switch code {
        case 0:
            if let packets = packetsBeforeFrame {
                packetsBeforeFrame = nil
                if context.pointee.codec_id == AV_CODEC_ID_VORBIS, isPreliminary(after: packets) { return try receive() }
            }
            if isDraining { frame.pointee.pts = CFFmpeg_noTimestamp() }
            // Hostile data can make a decoder return anything, so a decoded frame without samples, channels or a rate counts as corrupt.
            let valid = frame.pointee.nb_samples > 0 && frame.pointee.ch_layout.nb_channels > 0 && frame.pointee.sample_rate > 0
            return valid ? .frame : .corrupt
        case FFmpegError.tryAgain: return .needsPacket
        case FFmpegError.endOfFile: return .end
        case -ENOMEM: throw .outOfMemory
        default: return .corrupt
        }
    }

    /// Discards all packets that were sent to the decoder, and the decoder's state.
    func flush() {
        avcodec_flush_buffers(context)
        packetsBeforeFrame = 0
        isDraining = false
    }

    /// Returns whether a decoded frame of Vorbis belongs to the stream's first packet, so that all its samples must be skipped. `packets` is the
    /// number of packets that were sent to the decoder before its first frame.
    private func isPreliminary(after packets: Int) -> Bool {
        packets == 1 || SkipSamples(UnsafePointer(frame)).map { $0.start >= Int(frame.pointee.nb_samples) } ?? false
    }
}
