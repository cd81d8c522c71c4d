import CFFmpeg
import PlaybackEngine

/// An opened container and the one audio stream in it that is played.
final class Demuxer {
    let io: IOContext
    private let format: FormatHandle
    let stream: UnsafeMutablePointer<AVStream>
    let decoder: UnsafePointer<AVCodec>

    var context: UnsafeMutablePointer<AVFormatContext> { format.raw }
    /// The demuxer's first short name.
    let name: String
    var parameters: UnsafeMutablePointer<AVCodecParameters> { stream.pointee.codecpar }
    var codec: AVCodecID { stream.pointee.codecpar.pointee.codec_id }

    /// Opens what `source` gives and chooses its best audio stream.
    init(_ source: any ByteSource, interrupt: Interrupt) throws(PlaybackError) {
        FFmpegLog.silence()
        let io = try IOContext(source, interrupt: interrupt)
        self.io = io
        format = try Demuxer.open(io)
        let context = format.raw
        name = context.pointee.iformat.map { String(cString: $0.pointee.name).split(separator: ",").first.map(String.init) ?? "" } ?? ""
        let found = avformat_find_stream_info(context, nil)
        if found < 0, found != FFmpegError.endOfFile { throw io.error(found, while: .opening) }
        if interrupt.isRaised { throw .cancelled }
        (stream, decoder) = try Demuxer.chooseStream(context)
        for index in 0..<Int(context.pointee.nb_streams) where context.pointee.streams[index] != stream {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
    }

    /// The next packet of the chosen stream, or false at the end.
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(PlaybackError) -> Bool {
        while true {
            av_packet_unref(packet)
            let code = av_read_frame(context, packet)
            if code == 0 {
                if packet.pointee.stream_index == stream.pointee.index { return true }
                continue
            }
            if io.interrupt.isRaised { throw .cancelled }
            switch code {
            case FFmpegError.endOfFile: return false
            case FFmpegError.tryAgain, FFmpegError.invalidData: continue
            default: throw io.error(code, while: .reading)
            }
        }
    }

    /// Lands at or before `timestamp` of the stream, as near as the container's own index allows.
    func seek(timestamp: Int64) throws(PlaybackError) {
        let code = av_seek_frame(context, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD)
        if code < 0 { throw io.error(code, while: .seeking) }
    }

    /// Lands at byte `offset`.
    func seek(byte offset: Int64) throws(PlaybackError) {
        let code = av_seek_frame(context, stream.pointee.index, offset, AVSEEK_FLAG_BYTE)
        if code < 0 { throw io.error(code, while: .seeking) }
    }

    private static func open(_ io: IOContext) throws(PlaybackError) -> FormatHandle {
        guard let allocated = avformat_alloc_context() else { throw .outOfMemory }
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        allocated.pointee.pb = io.raw
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        allocated.pointee.interrupt_callback = AVIOInterruptCB(callback: ioContextInterrupt, opaque: Unmanaged.passUnretained(io).toOpaque())
        allocated.pointee.io_open = ioContextRefuse
        // An empty list allows nothing; nested contexts inherit it.
        av_opt_set(allocated, "protocol_whitelist", "none", 0)

        var probed: UnsafePointer<AVInputFormat>?
        let score = av_probe_input_buffer2(io.raw, &probed, nil, nil, 0, 0)
        guard score >= 0, let probed, score >= DemuxerPolicy.minimumScore, DemuxerPolicy.allows(probed) else {
            avformat_free_context(allocated)
            if io.interrupt.isRaised { throw .cancelled }
            if let failure = io.failure { throw failure }
            throw .notMedia
        }
        let code = avformat_open_input(&context, nil, probed, nil)
        // On failure FFmpeg has freed the context.
        guard code >= 0, let context else { throw io.error(code, while: .opening) }
        return FormatHandle(owning: context, io: io)
    }

    private static func chooseStream(
        _ context: UnsafeMutablePointer<AVFormatContext>
    ) throws(PlaybackError) -> (UnsafeMutablePointer<AVStream>, UnsafePointer<AVCodec>) {
        var decoder: UnsafePointer<AVCodec>?
        let index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0)
        if index >= 0, let stream = context.pointee.streams[Int(index)], let decoder { return (stream, decoder) }
        var hasPicture = false, hasAudio = false
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index] else { continue }
            switch stream.pointee.codecpar.pointee.codec_type {
            case AVMEDIA_TYPE_AUDIO: hasAudio = true
            case AVMEDIA_TYPE_VIDEO: hasPicture = true
            default: break
            }
        }
        if hasAudio { throw PlaybackError(.unsupportedFormat, "There is no decoder for the sound of this medium.") }
        if hasPicture { throw PlaybackError(.noAudio, "The medium has no sound.") }
        throw .notMedia
    }
}

/// FFmpeg's own log, which goes nowhere: errors reach people through `PlaybackError`.
enum FFmpegLog {
    private static let once: Void = av_log_set_level(AV_LOG_QUIET)
    static func silence() { once }
}
