import CFFmpeg
import Glibc
import PlaybackEngine

/// An open decoder. The caller sets the timestamp of each packet to its position, in frames, and so each decoded frame has its position as timestamp.
final class Decoder {
    private let handle: CodecHandle
    private let frameHandle: FrameHandle
    var context: UnsafeMutablePointer<AVCodecContext> { handle.raw }
    /// Whether FFmpeg has refused a packet because it has no code for it, so that the packet need not be damaged.
    private(set) var lacksFeature = false
    /// The frame that `receive` has written.
    var frame: UnsafeMutablePointer<AVFrame> { frameHandle.raw }

    init(_ codec: UnsafePointer<AVCodec>, parameters: UnsafePointer<AVCodecParameters>) throws(PlaybackError) {
        handle = try CodecHandle(codec)
        frameHandle = try FrameHandle()
        let context = handle.raw
        var code = avcodec_parameters_to_context(context, parameters)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
        context.pointee.thread_count = 1
        // The decoders of TTA and WavPack detect damage only by checksums, on request.
        if codec.pointee.id == AV_CODEC_ID_TTA || codec.pointee.id == AV_CODEC_ID_WAVPACK {
            context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
        }
        // FFmpeg must not trim the audio, because positions are counted in the untrimmed output.
        context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        context.pointee.pkt_timebase = AVRational(num: 1, den: max(1, parameters.pointee.sample_rate))
        code = avcodec_open2(context, codec, nil)
        if code < 0 { throw FFmpegError.error(code, while: .opening) }
    }

    /// The number of packets since opening or flush; nil after the first frame. The first packet of Vorbis completes no samples (Vorbis I, 4.3.8):
    /// FFmpeg 7.1 returns a preliminary frame for it, FFmpeg 5.1 none. `isPreliminary` recognises such a frame, because only one packet was sent, or
    /// because all its samples are to be skipped.
    private var packetsBeforeFrame: Int? = 0
    /// Whether the end was sent, so that only delayed frames come. FFmpeg 7.1 gives them the last packet's timestamp, which `receive` removes; FFmpeg
    /// 5.1 gives none.
    private var isDraining = false

    /// Sends a packet to the decoder; nil marks the end. Returns false if the packet is corrupt.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws(PlaybackError) -> Bool {
        let code = avcodec_send_packet(context, packet)
        if packet != nil { packetsBeforeFrame? += 1 } else { isDraining = true }
        if code == -ENOMEM { throw .outOfMemory }
        if code < 0, FFmpegError.lacksFeature(code, while: .decoding) { lacksFeature = true }
        return code >= 0 || code == FFmpegError.endOfFile
    }

    enum Outcome { case frame, needsPacket, end, corrupt }

    func receive() throws(PlaybackError) -> Outcome {
        let code = avcodec_receive_frame(context, frame)
        switch code {
        case 0:
            if let packets = packetsBeforeFrame {
                packetsBeforeFrame = nil
                if context.pointee.codec_id == AV_CODEC_ID_VORBIS, isPreliminary(after: packets) { return try receive() }
            }
            if isDraining { frame.pointee.pts = CFFmpeg_noTimestamp() }
            // Hostile data can make a decoder return anything.
            let valid = frame.pointee.nb_samples > 0 && frame.pointee.ch_layout.nb_channels > 0 && frame.pointee.sample_rate > 0
            return valid ? .frame : .corrupt
        case FFmpegError.tryAgain: return .needsPacket
        case FFmpegError.endOfFile: return .end
        case -ENOMEM: throw .outOfMemory
        default:
            if FFmpegError.lacksFeature(code, while: .decoding) { lacksFeature = true }
            return .corrupt
        }
    }

    /// Discards the decoder's state, and the packets that it has not decoded.
    func flush() {
        avcodec_flush_buffers(context)
        packetsBeforeFrame = 0
        isDraining = false
    }

    /// Whether the first frame of a Vorbis stream belongs to its first packet, so that all samples are skipped.
    private func isPreliminary(after packets: Int) -> Bool {
        packets == 1 || SkipSamples(UnsafePointer(frame)).map { $0.start >= Int(frame.pointee.nb_samples) } ?? false
    }
}

/// The numbers of samples at the start and at the end of a packet or frame that do not belong to the recording, from FFmpeg's side data.
struct SkipSamples {
    let start: Int
    let end: Int

    init?(_ packet: UnsafePointer<AVPacket>) {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size) else { return nil }
        self.init(data, size: size)
    }

    init?(_ frame: UnsafePointer<AVFrame>) {
        guard let side = av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES), let data = side.pointee.data else { return nil }
        self.init(data, size: side.pointee.size)
    }

    private init?(_ data: UnsafePointer<UInt8>, size: Int) {
        guard size >= 8 else { return nil }
        func number(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(data[at + $1]) << (8 * $1) } }
        // A hostile container may state any number of samples to skip. No encoder's delay or padding reaches 2²⁰ samples, so a number of 2²⁰ or more
        // counts as 0.
        start = number(0) < 1 << 20 ? number(0) : 0
        end = number(4) < 1 << 20 ? number(4) : 0
    }
}
