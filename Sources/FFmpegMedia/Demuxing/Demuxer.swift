import CFFmpeg
import CFFmpegLimits
import Glibc
import PlaybackEngine

/// An opened container, and the one audio stream in it that is played. Reads the packets of this stream, and seeks in it.
final class Demuxer {
    let io: IOContext
    private var format: FormatHandle
    private(set) var stream: UnsafeMutablePointer<AVStream>
    let decoder: UnsafePointer<AVCodec>
    private let kind: UnsafePointer<AVInputFormat>

    var context: UnsafeMutablePointer<AVFormatContext> { format.raw }
    let traits: ContainerTraits
    /// The Xing, Info or VBRI tag of an MP3 file; nil if there is none, or if the source cannot seek.
    let xing: XingTag?
    /// The parts of an MP4 file that Tonearm reads instead of FFmpeg.
    private let movieReading: MovieReading
    /// The header of an MP4 file if Tonearm applies its edit lists itself; otherwise nil.
    var movie: MovieHeader? { movieReading.header }
    /// The reader of the played stream's sample tables; nil if FFmpeg reads the stream.
    var samples: SampleTableReader? { movieReading.samples }
    /// The medium's share of the index budget (the memory of FFmpeg's indexes of all open media), which it holds while FFmpeg's index exists.
    private let indexShare = IndexShare()
    /// The packet table of a Core Audio file; nil if there is none, or if the source cannot seek.
    private let packetTable: PacketTable?
    /// The entries of a remote FLAC file's seek table, at which reading can begin; empty for other media.
    let seekTable: [ByteSearch.Point]
    /// The codec parameters of the played stream, for a decoder. They do not change when the medium is reopened.
    var parameters: UnsafeMutablePointer<AVCodecParameters> { parametersHandle.raw }
    private let parametersHandle: ParametersHandle
    var codec: AVCodecID { parameters.pointee.codec_id }

    /// The callback that receives a sentence about data of the medium that is not played.
    private let note: (String) -> Void

    /// Opens the container of the medium in `source`, and chooses its best audio stream.
    ///
    /// - Parameter note: The callback that receives a sentence about data of the medium that is not played. It is called while packets are read.
    /// - Parameter tableThreshold: The smallest number of samples of an MP4 track whose tables are read without FFmpeg.
    init(
        _ source: any ByteSource, interrupt: Interrupt, tableThreshold: Int64 = SampleTables.threshold, note: @escaping (String) -> Void = { _ in }
    ) throws(PlaybackError) {
        self.note = note
        FFmpegLibrary.prepare()
        let source = HeadSource(source)
        let tags = try TagScreen(source, interrupt: interrupt), matroska = try MatroskaScreen(source, at: tags.end, interrupt: interrupt)
        source.patch(tags.patches)
        source.patch(matroska.patches)
        source.patch(try WavPackChannels.patches(of: source, at: tags.end))
        source.hideInvalidCues(at: matroska.cues)
        try source.seek(to: 0)
        let io = try IOContext(source, interrupt: interrupt)
        self.io = io
        kind = try Demuxer.probe(io, source, afterTags: tags.end)
        let traits = ContainerTraits(kind)
        self.traits = traits
        let header = traits.container == .mp4 ? try MovieHeader.read(io, source, threshold: tableThreshold) : nil
        if let header { try source.watch(header, indexShare) } else { source.stopWatching() }
        movieReading = MovieReading(header, io)
        if let tables = movieReading.samples?.tables {
            source.patch(tables.patches)
            try io.discardBuffer()
        }
        packetTable = traits.container == .coreAudio && io.source.isSeekable ? io.raw.flatMap { PacketTable($0) } : nil
        // The tag is read while the start of the medium is still in the buffer. Later it would cost two requests in a remote medium.
        xing = traits.container == .mpegAudio && io.source.isSeekable ? io.raw.flatMap { XingTag($0, isRemote: source.isRemote) } : nil
        format = try Demuxer.open(io, kind, traits, ignoresEdits: movieReading.ignoresEdits)
        (stream, decoder) = try Demuxer.prepare(format.raw, io, traits)
        parametersHandle = try ParametersHandle(copying: stream.pointee.codecpar)
        // FFmpeg has read the metadata blocks, so the seek table costs no request.
        seekTable =
            traits.container == .flac && source.isRemote ? FLACSeekTable.points(at: tags.end) { source.isKept($0.lowerBound) ? io.peek($0) : [] } : []
        try movieReading.complete(parametersHandle.raw, stream, format.raw)
        source.stopKeeping()
    }

    /// Opens the same medium again, at its start. This works even after a seek has failed.
    func reopen() throws(PlaybackError) {
        guard let raw = io.raw, avio_seek(raw, 0, SEEK_SET) == 0 else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        let index = stream.pointee.index
        let fresh = try Demuxer.open(io, kind, traits, ignoresEdits: movieReading.ignoresEdits)
        let (other, _) = try Demuxer.prepare(fresh.raw, io, traits)
        guard other.pointee.index == index else { throw PlaybackError(.corruptMedia, "The medium has changed since it was opened.") }
        format.replace(with: fresh)
        stream = other
        samples?.seek(to: 0)
        releasePictures()
    }

    /// Whether the played stream is the only one in the container, apart from attached pictures.
    var isOnlyStream: Bool {
        (0..<Int(context.pointee.nb_streams)).allSatisfy { number in
            guard let other = context.pointee.streams[number] else { return true }
            return other == stream || other.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        }
    }

    /// Frees FFmpeg's copies of attached pictures, which may be large and are not needed again.
    func releasePictures() {
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let picture = context.pointee.streams[index], picture != stream else { continue }
            av_packet_unref(&picture.pointee.attached_pic)
        }
    }

    /// Reads the information about all streams of the container, chooses one audio stream, and makes FFmpeg discard the others.
    private static func prepare(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ io: IOContext, _ traits: ContainerTraits
    ) throws(PlaybackError) -> (UnsafeMutablePointer<AVStream>, UnsafePointer<AVCodec>) {
        let found = try Demuxer.limited { avformat_find_stream_info(context, nil) }
        if found < 0, found != FFmpegError.endOfFile { throw io.error(found, while: .opening) }
        if io.interrupt.isRaised { throw .cancelled }
        let chosen = try chooseStream(context)
        for index in 0..<Int(context.pointee.nb_streams) where context.pointee.streams[index] != chosen.0 {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
        // If the block size in the header was wrong, reading begins again: FFmpeg has divided the PCM data read so far by it, so a packet may end
        // inside a sample.
        if traits.statesSampleSize, correctSampleSize(chosen.0.pointee.codecpar), io.source.isSeekable {
            _ = try Demuxer.limited { av_seek_frame(context, chosen.0.pointee.index, 0, 0) }
        }
        // FFmpeg must not estimate missing timestamps of Ogg packets. Between the timestamps in the file, counting samples is more exact.
        if traits.container == .ogg { context.pointee.flags |= AVFMT_FLAG_NOFILLIN }
        return chosen
    }

    /// Corrects the byte rate and the block size of PCM, which FFmpeg uses for seeks: computes them from the size of a sample, because the header may
    /// state wrong values.
    ///
    /// - Returns: Whether the block size in the header was wrong.
    private static func correctSampleSize(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
        let bits = Int64(av_get_exact_bits_per_sample(parameters.pointee.codec_id)), channels = Int64(parameters.pointee.ch_layout.nb_channels)
        let rate = Int64(parameters.pointee.sample_rate)
        guard bits > 0, bits % 8 == 0, (1...64).contains(channels), rate > 0 else { return false }
        let stated = parameters.pointee.block_align
        parameters.pointee.block_align = Int32(channels * bits / 8)
        parameters.pointee.bit_rate = rate * channels * bits
        return stated != parameters.pointee.block_align
    }

    /// The consecutive parts of an MP4 track that its edit list plays, if there are several; otherwise nil.
    var stretches: [MovieHeader.Stretch]? { movie?.stretches(ofTrack: Int64(stream.pointee.id)) }

    /// The part of the played stream that is the recording, in the time base of the stream; nil if the file does not state it.
    var window: RecordingWindow? {
        if let window = packetTable?.window { return window }
        guard var window = movie?.window(ofTrack: Int64(stream.pointee.id)) else { return nil }
        if stretches == nil, let entry = av_dict_get(context.pointee.metadata, "iTunSMPB", nil, 0), let value = entry.pointee.value,
            let gapless = ITunesGapless(String(cString: value))
        {
            // The counts in the iTunes tag are used if their sum differs from the length of the media by at most 4096 samples, or if their priming is
            // that of the edit list.
            let all = gapless.priming + gapless.padding + gapless.samples
            if abs(all - (window.end ?? all)) <= 4096 || window.origin == gapless.priming {
                window.origin = gapless.priming
                window.end = gapless.priming + gapless.samples
            }
        }
        return window
    }

    /// Sets the sample rate of an MPEG audio stream to that of its first packet. Returns whether FFmpeg had reported another rate.
    ///
    /// FFmpeg reports the sample rate of the last header that it examined, and its decoder gives the first frame this rate. In MP3 files that were
    /// joined of several files, the reported rate may be wrong.
    func takeRate(from packet: UnsafePointer<AVPacket>) -> Bool {
        guard [AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3].contains(codec), let data = packet.pointee.data else { return false }
        let bytes = UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size)))
        guard let header = MPEGAudioHeader(bytes), header.sampleRate != Int(parameters.pointee.sample_rate) else { return false }
        parameters.pointee.sample_rate = Int32(header.sampleRate)
        return true
    }

    /// Reads the next packet of the played stream; returns false at the end of the stream.
    ///
    /// Damaged data between packets is skipped. After 1024 failed reads in one call the stream ends, because some demuxers of FFmpeg return an error
    /// at the same offset for ever.
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(PlaybackError) -> Bool {
        var failures = 0
        while failures < Demuxer.patience {
            if io.interrupt.isRaised { throw .cancelled }
            av_packet_unref(packet)
            let code: Int32
            if let samples {
                code = try samples.read(into: packet, of: stream)
            } else {
                code = try Demuxer.limited { av_read_frame(context, packet) }
            }
            if code == 0 {
                guard packet.pointee.stream_index == stream.pointee.index else { continue }
                if traits.container == .wavPack { WavPackChannels.complete(packet) }
                return true
            }
            if io.interrupt.isRaised { throw .cancelled }
            switch code {
            case FFmpegError.endOfFile: return false
            case FFmpegError.tryAgain, FFmpegError.invalidData:
                failures += 1
                // FFmpeg's demuxer of WavPack has read 32 damaged bytes as the head of a block, and would expect the next head in the 32 bytes after
                // them. So the next head is searched byte by byte.
                if traits.container == .wavPack, try !WavPackBlock.seekToNext(io) { return false }
            case -EIO where io.failure == nil:
                // If the byte source has not failed, EIO means that the medium ends inside a packet.
                isIncomplete = true
                return false
            default: throw io.error(code, while: .reading)
            }
        }
        if !isIncomplete { note("The rest of a medium is damaged: it contains no readable audio.") }
        isIncomplete = true
        return false
    }
    private static let patience = 1024
    /// Whether unreadable data followed the last packet of the stream, so that the medium is incomplete.
    private(set) var isIncomplete = false

    /// Seeks to the packet at `timestamp`, in the time base of the stream, or to an earlier packet, as near as the container's own index allows.
    func seek(timestamp: Int64) throws(PlaybackError) {
        if let samples { return samples.seek(to: timestamp) }
        let code = try Demuxer.limited { av_seek_frame(context, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) }
        if code < 0 { throw io.error(code, while: .seeking) }
    }

    /// Seeks to the byte at `offset` in the medium.
    func seek(byte offset: Int64) throws(PlaybackError) {
        let code = try Demuxer.limited { av_seek_frame(context, stream.pointee.index, offset, AVSEEK_FLAG_BYTE) }
        if code < 0 { throw io.error(code, while: .seeking) }
    }

    /// Detects the container format of a medium by its content only. `start` is the byte offset after the ID3v2 tags of the medium.
    private static func probe(
        _ io: IOContext, _ source: HeadSource, afterTags start: Int64
    ) throws(PlaybackError) -> UnsafePointer<AVInputFormat> {
        // A radio station first sends only some seconds of audio, then the rest in real time, and its first byte lies within a frame of MP3. For such
        // a medium FFmpeg would wait for up to 200 frames. So it first has to decide from 16 KiB. Only if it cannot, the limit becomes 0, which
        // stands for FFmpeg's own limit.
        for limit: UInt32 in io.source.isLive ? [16_384, 0] : [0] {
            var probed: UnsafePointer<AVInputFormat>?
            let score = av_probe_input_buffer2(io.raw, &probed, nil, nil, 0, limit)
            if let probed, DemuxerPolicy.allows(probed) {
                if score >= DemuxerPolicy.minimumScore { return probed }
                if score > 0, ContainerTraits(probed).container == .mpegAudio, try MPEGAudioRun.isFound(in: source, at: start) { return probed }
            }
            if io.interrupt.isRaised { throw .cancelled }
        }
        throw io.failure ?? .notMedia
    }

    private static func open(
        _ io: IOContext, _ probed: UnsafePointer<AVInputFormat>, _ traits: ContainerTraits, ignoresEdits: Bool
    ) throws(PlaybackError) -> FormatHandle {
        guard let allocated = avformat_alloc_context() else { throw .outOfMemory }
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        allocated.pointee.pb = io.raw
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        allocated.pointee.interrupt_callback = AVIOInterruptCB(callback: ioContextInterrupt, opaque: Unmanaged.passUnretained(io).toOpaque())
        allocated.pointee.io_open = ioContextRefuse
        // FFmpeg must not use any protocol; this also applies to the contexts that a demuxer makes internally.
        av_opt_set(allocated, "protocol_whitelist", "none", 0)
        av_opt_set(allocated, "format_whitelist", DemuxerPolicy.whitelist, 0)
        av_opt_set(allocated, "codec_whitelist", DecoderPolicy.whitelist, 0)
        av_opt_set_int(allocated, "max_streams", Int64(DemuxerPolicy.streamLimit), 0)
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // FFmpeg searches 32 packets of every WAV file for DTS disguised as PCM. Eight packets of 4 KiB are enough to detect it. The size is set,
        // because packets have 4 KiB in FFmpeg 5.1, but up to a tenth of a second in 7.1.
        if traits.container == .wave || traits.container == .w64 {
            allocated.pointee.max_probe_packets = 8
            av_dict_set(&options, "max_size", "4096", 0)
        }
        // A station sends in real time what FFmpeg reads before the first audio. So two waits of FFmpeg are shortened (R-LIVE-02): the wait for the
        // first timestamp, by default 50 packets, and the wait for more streams, by default 5 s, in a container that may add some later, such as FLV.
        if io.source.mayBeLive {
            allocated.pointee.max_ts_probe = 0
            allocated.pointee.max_analyze_duration = 2_000_000
        }
        if ignoresEdits { av_dict_set(&options, "ignore_editlist", "1", 0) }
        CFFmpegLimits_begin()
        defer { CFFmpegLimits_end() }
        let code = avformat_open_input(&context, nil, probed, &options), hasTooMany = CFFmpegLimits_isExceeded() != 0
        // If opening has failed, FFmpeg has already freed its `AVFormatContext`.
        guard code >= 0, let context else { throw hasTooMany ? .tooManyChapters : io.error(code, while: .opening) }
        let handle = FormatHandle(owning: context, io: io)
        if hasTooMany { throw .tooManyChapters }
        return handle
    }

    /// Performs one call of FFmpeg under the limits of tags and chapters (`CFFmpegLimits`). Throws if the call exceeded the limit of chapters or
    /// programs; tags over the limit are discarded.
    private static func limited(_ call: () -> Int32) throws(PlaybackError) -> Int32 {
        CFFmpegLimits_begin()
        defer { CFFmpegLimits_end() }
        let code = call()
        if CFFmpegLimits_isExceeded() != 0 { throw .tooManyChapters }
        return code
    }

    private static func chooseStream(
        _ context: UnsafeMutablePointer<AVFormatContext>
    ) throws(PlaybackError) -> (UnsafeMutablePointer<AVStream>, UnsafePointer<AVCodec>) {
        var decoder: UnsafePointer<AVCodec>?
        let index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0)
        if index >= 0, let stream = context.pointee.streams[Int(index)], let decoder, DecoderPolicy.allows(decoder) { return (stream, decoder) }
        var hasPicture = false, hasAudio = false
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index] else { continue }
            switch stream.pointee.codecpar.pointee.codec_type {
            case AVMEDIA_TYPE_AUDIO: hasAudio = true
            case AVMEDIA_TYPE_VIDEO: hasPicture = true
            default: break
            }
        }
        if hasAudio { throw PlaybackError(.unsupportedFormat, "There is no decoder for the audio of this medium.") }
        if hasPicture { throw PlaybackError(.noAudio, "The medium has no audio.") }
        throw .notMedia
    }
}
