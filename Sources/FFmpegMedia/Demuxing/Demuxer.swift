import CFFmpeg
import CFFmpegLimits
import Glibc
import PlaybackEngine

/// An opened container, and the one audio stream in it that is played (the chosen stream).
final class Demuxer {
    let io: IOContext
    private var format: FormatHandle
    private(set) var stream: UnsafeMutablePointer<AVStream>
    let decoder: UnsafePointer<AVCodec>
    private let kind: UnsafePointer<AVInputFormat>

    var context: UnsafeMutablePointer<AVFormatContext> { format.raw }
    let traits: ContainerTraits
    /// The Xing, Info or VBRI tag of an MP3 file; nil if the file has none, or if the source cannot seek.
    let xing: XingTag?
    /// The parts of an MP4 file that Tonearm itself reads.
    private let movieReading: MovieReading
    /// The header of an MP4 file with its tracks, if Tonearm applies the edit lists itself; otherwise nil.
    var movie: MovieHeader? { movieReading.header }
    /// The reader of the played stream's sample tables; nil if FFmpeg reads the stream.
    var samples: SampleTableReader? { movieReading.samples }
    /// The medium's share of the index budget (the memory of FFmpeg's indexes of all open media). The medium holds its share of the index budget
    /// while FFmpeg's index exists.
    private let indexShare = IndexShare()
    /// The packet table of a Core Audio file; nil if the file has none.
    private let packetTable: PacketTable?
    /// The points at which reading can begin that a remote FLAC file states; empty for other media.
    let seekTable: [ByteSearch.Point]
    /// The codec parameters of the played audio stream, for a decoder. The codec parameters of the played stream do not change when the medium is
    /// reopened.
    var parameters: UnsafeMutablePointer<AVCodecParameters> { parametersHandle.raw }
    private let parametersHandle: ParametersHandle
    var codec: AVCodecID { parameters.pointee.codec_id }

    /// The callback that receives a sentence about data of the medium that is not played.
    private let note: (String) -> Void

    /// Opens the container of the medium in `source`, and chooses its best audio stream.
    ///
    /// - Parameter note: The callback that receives a sentence about data of the medium that is not played. The callback `note` is called while
    ///   packets are read.
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
        // The Xing tag of an MP3 file is read while the start of the medium is still in the buffer. Later, reading the tag of a remote medium would
        // cost two requests.
        xing = traits.container == .mpegAudio && io.source.isSeekable ? io.raw.flatMap { XingTag($0, isRemote: source.isRemote) } : nil
        format = try Demuxer.open(io, kind, traits, ignoresEdits: movieReading.ignoresEdits)
        (stream, decoder) = try Demuxer.prepare(format.raw, io, traits)
        parametersHandle = try ParametersHandle(copying: stream.pointee.codecpar)
        // The metadata blocks have been read, so the table costs no request.
        seekTable =
            traits.container == .flac && source.isRemote ? FLACSeekTable.points(at: tags.end) { source.isKept($0.lowerBound) ? io.peek($0) : [] } : []
        try movieReading.complete(parametersHandle.raw, stream, format.raw)
        source.stopKeeping()
    }

    /// Opens the same medium again, and returns to its start. Reopening a medium works even after a seek has failed.
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

    /// Whether the container has no other streams than the played audio stream, except attached pictures.
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
        // FFmpeg has divided the PCM data read so far into packets by the block size in the header, so a packet may end inside a sample.
        if traits.statesSampleSize, correctSampleSize(chosen.0.pointee.codecpar), io.source.isSeekable {
            _ = try Demuxer.limited { av_seek_frame(context, chosen.0.pointee.index, 0, 0) }
        }
        // FFmpeg must not fill in missing timestamps of Ogg packets: between the timestamps in the file, counting samples is more exact than FFmpeg's
        // estimate.
        if traits.container == .ogg { context.pointee.flags |= AVFMT_FLAG_NOFILLIN }
        return chosen
    }

    /// Computes the byte rate and the block size of PCM from the size of a sample. FFmpeg uses the byte rate and the block size of PCM for seeks, and
    /// the file's header may state wrong values.
    ///
    /// - Returns: Whether the block size in the file's header differs from the computed block size of PCM.
    private static func correctSampleSize(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
        let bits = Int64(av_get_exact_bits_per_sample(parameters.pointee.codec_id)), channels = Int64(parameters.pointee.ch_layout.nb_channels)
        let rate = Int64(parameters.pointee.sample_rate)
        guard bits > 0, bits % 8 == 0, (1...64).contains(channels), rate > 0 else { return false }
        let stated = parameters.pointee.block_align
        parameters.pointee.block_align = Int32(channels * bits / 8)
        parameters.pointee.bit_rate = rate * channels * bits
        return stated != parameters.pointee.block_align
    }

    /// The consecutive parts of the chosen MP4 track that its edit list plays, if there are several parts; otherwise nil.
    var stretches: [MovieHeader.Stretch]? { movie?.stretches(ofTrack: Int64(stream.pointee.id)) }

    /// The part of the chosen stream that is the recording, in the time base of the stream; nil if the file's header does not state it.
    var window: RecordingWindow? {
        if let window = packetTable?.window { return window }
        guard var window = movie?.window(ofTrack: Int64(stream.pointee.id)) else { return nil }
        if stretches == nil, let entry = av_dict_get(context.pointee.metadata, "iTunSMPB", nil, 0), let value = entry.pointee.value,
            let gapless = ITunesGapless(String(cString: value))
        {
            // The sample counts in the iTunes tag are used if their total matches the media within 4096 samples, or if their priming matches the edit
            // list.
            let all = gapless.priming + gapless.padding + gapless.samples
            if abs(all - (window.end ?? all)) <= 4096 || window.origin == gapless.priming {
                window.origin = gapless.priming
                window.end = gapless.priming + gapless.samples
            }
        }
        return window
    }

    /// Sets the sample rate of an MPEG audio stream to that of its first packet. Returns whether FFmpeg had reported another sample rate than the
    /// first packet has.
    ///
    /// For an MPEG audio stream, FFmpeg reports the sample rate of the last header that it examined, and its decoder gives the first frame this rate.
    /// In MP3 files that were joined of several files, the sample rate that FFmpeg reports is wrong.
    func takeRate(from packet: UnsafePointer<AVPacket>) -> Bool {
        guard [AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3].contains(codec), let data = packet.pointee.data else { return false }
        let bytes = UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size)))
        guard let header = MPEGAudioHeader(bytes), header.sampleRate != Int(parameters.pointee.sample_rate) else { return false }
        parameters.pointee.sample_rate = Int32(header.sampleRate)
        return true
    }

    /// Reads the next packet of the played stream; returns false at the end of the stream.
    ///
    /// Damaged data between packets is skipped. After 1024 failed reads in one call the medium ends, because some demuxers of FFmpeg return an error
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
                // FFmpeg's demuxer of WavPack has read 32 damaged bytes as the head of a block, and would read the head of the next block in the 32
                // bytes after them. So the offset of the next head is searched byte by byte.
                if traits.container == .wavPack, try !WavPackBlock.seekToNext(io) { return false }
            case -EIO where io.failure == nil:
                // If the byte source has not failed, FFmpeg's error EIO means that the medium ends inside a packet.
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

    /// Seeks to the packet at `timestamp`, in the time base of the stream, or to a packet before it, as close as the container's own index allows.
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

    /// Detects the format of a medium's container, only by its content. `start` is the byte offset after the ID3v2 tags of the medium.
    private static func probe(
        _ io: IOContext, _ source: HeadSource, afterTags start: Int64
    ) throws(PlaybackError) -> UnsafePointer<AVInputFormat> {
        // A station sends at first only some seconds of audio, then the rest in real time, and begins within a frame of MP3. FFmpeg would wait for up
        // to 200 frames then. So it first has to decide from 16 KiB, and gets its own limit (0) only if that fails.
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
        // FFmpeg may use no protocol; the contexts that a demuxer makes internally inherit this restriction.
        av_opt_set(allocated, "protocol_whitelist", "none", 0)
        av_opt_set(allocated, "format_whitelist", DemuxerPolicy.whitelist, 0)
        av_opt_set(allocated, "codec_whitelist", DecoderPolicy.whitelist, 0)
        av_opt_set_int(allocated, "max_streams", Int64(DemuxerPolicy.streamLimit), 0)
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // FFmpeg searches 32 packets of every WAV file for DTS disguised as PCM. Eight packets of 4 KiB suffice to detect DTS in a WAV file. Packets
        // have 4 KiB in FFmpeg 5.1 and up to a tenth of a second in 7.1, unless the size is set.
        if traits.container == .wave || traits.container == .w64 {
            allocated.pointee.max_probe_packets = 8
            av_dict_set(&options, "max_size", "4096", 0)
        }
        // A station sends in real time what FFmpeg reads before the first audio. In a stream without timestamps, FFmpeg waits for the first timestamp
        // during 50 packets. In a container that may add streams later, such as FLV, FFmpeg waits for 5 s (R-LIVE-02).
        if io.source.mayBeLive {
            allocated.pointee.max_ts_probe = 0
            allocated.pointee.max_analyze_duration = 2_000_000
        }
        if ignoresEdits { av_dict_set(&options, "ignore_editlist", "1", 0) }
        CFFmpegLimits_begin()
        defer { CFFmpegLimits_end() }
        let code = avformat_open_input(&context, nil, probed, &options), hasTooMany = CFFmpegLimits_isExceeded() != 0
        // After a failure to open a container, FFmpeg has already freed its `AVFormatContext`.
        guard code >= 0, let context else { throw hasTooMany ? .tooManyChapters : io.error(code, while: .opening) }
        let handle = FormatHandle(owning: context, io: io)
        if hasTooMany { throw .tooManyChapters }
        return handle
    }

    /// Performs one call of FFmpeg, under the limits of tags and chapters (`CFFmpegLimits`). Throws if FFmpeg's call exceeded a limit of tags or
    /// chapters.
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
