import CFFmpeg
import CFFmpegLimits
import Glibc
import PlaybackEngine

/// An opened container, and the one audio stream that is played.
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
    /// The chapters and tags of a Matroska file; empty in other media.
    let matroska: MatroskaFacts
    /// The fields of the medium's tags that TagLib has read.
    let fields: TagFields
    /// The parts of an MP4 file that are read without FFmpeg.
    private let movieReading: MovieReading
    /// The header of an MP4 file, if Tonearm applies the edit lists itself.
    var movie: MovieHeader? { movieReading.header }
    /// The reader of the samples of an MP4 track; nil if FFmpeg reads the stream.
    var samples: SampleTableReader? { movieReading.samples }
    /// This medium's share of the memory for FFmpeg's indexes of all open media.
    private let indexShare = IndexShare()
    /// The header of uncompressed samples.
    let pulseCode: PulseCodeHeader
    /// The packet table of a Core Audio file; nil if the source cannot seek.
    private let packetTable: PacketTable?
    /// The points of a remote FLAC file at which reading can begin; empty for other media.
    let seekTable: [ByteSearch.Point]
    /// The parameters of the stream, which do not change when the medium is reopened.
    var parameters: UnsafeMutablePointer<AVCodecParameters> { parametersHandle.raw }
    private let parametersHandle: ParametersHandle
    var codec: AVCodecID { parameters.pointee.codec_id }

    /// The function that receives a sentence about data that is not played.
    private let note: (String) -> Void

    /// Opens a container, and chooses the best audio stream.
    /// - Parameter note: The function that receives a sentence about data that is not played. It is called while packets are read.
    /// - Parameter tableThreshold: The number of samples from which on the tables of an MP4 track are read without FFmpeg.
    init(
        _ source: any ByteSource, interrupt: Interrupt, tableThreshold: Int64 = SampleTables.threshold, note: @escaping (String) -> Void = { _ in }
    ) throws(PlaybackError) {
        self.note = note
        FFmpegLibrary.prepare()
        let source = HeadSource(source)
        let tags = try TagScreen(source), matroska = try MatroskaScreen(source, at: tags.end)
        source.patch(tags.patches)
        self.matroska = matroska.facts
        source.patch(matroska.patches)
        source.patch(try WavPackChannels.patches(of: source, at: tags.end))
        pulseCode = try PulseCodeHeader(source, at: tags.end)
        source.patch(pulseCode.patches)
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
        // The tag is read while the start of the file is in FFmpeg's buffer; later it would cost two requests.
        xing = traits.container == .mpegAudio && io.source.isSeekable ? io.raw.flatMap { XingTag($0, isRemote: source.isRemote) } : nil
        format = try Demuxer.open(io, kind, traits, ignoresEdits: movieReading.ignoresEdits)
        (stream, decoder) = try Demuxer.prepare(format.raw, io, traits, pulseCode)
        parametersHandle = try ParametersHandle(copying: stream.pointee.codecpar)
        // FFmpeg has already read FLAC's metadata blocks, so this costs no request.
        seekTable =
            traits.container == .flac && source.isRemote ? FLACSeekTable.points(at: tags.end) { source.isKept($0.lowerBound) ? io.peek($0) : [] } : []
        fields = TagFields(source, io, traits.container, tags, items: header?.items)
        try movieReading.complete(parametersHandle.raw, stream, format.raw)
        source.stopKeeping()
    }

    /// Opens the medium again, at its start, even after a seek has failed.
    func reopen() throws(PlaybackError) {
        guard let raw = io.raw, avio_seek(raw, 0, SEEK_SET) == 0 else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        let index = stream.pointee.index
        let fresh = try Demuxer.open(io, kind, traits, ignoresEdits: movieReading.ignoresEdits)
        let (other, _) = try Demuxer.prepare(fresh.raw, io, traits, pulseCode)
        guard other.pointee.index == index else { throw PlaybackError(.corruptMedia, "The medium has changed since it was opened.") }
        format.replace(with: fresh)
        stream = other
        samples?.seek(to: 0)
        releasePictures()
    }

    /// Whether the container has no other stream, except for attached pictures.
    var isOnlyStream: Bool {
        (0..<Int(context.pointee.nb_streams)).allSatisfy { number in
            guard let other = context.pointee.streams[number] else { return true }
            return other == stream || other.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        }
    }

    /// Releases the attached pictures, which may be large, and are not needed again.
    func releasePictures() {
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let picture = context.pointee.streams[index], picture != stream else { continue }
            av_packet_unref(&picture.pointee.attached_pic)
        }
    }

    /// Finds the streams and chooses one; FFmpeg discards the others.
    private static func prepare(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ io: IOContext, _ traits: ContainerTraits, _ pulseCode: PulseCodeHeader
    ) throws(PlaybackError) -> (UnsafeMutablePointer<AVStream>, UnsafePointer<AVCodec>) {
        for index in 0..<Int(context.pointee.nb_streams) {
            if let stream = context.pointee.streams[index] { try pulseCode.correctCodec(stream.pointee.codecpar) }
        }
        let found = try Demuxer.limited { avformat_find_stream_info(context, nil) }
        if found < 0, found != FFmpegError.endOfFile { throw io.error(found, while: .opening) }
        try io.check()
        let chosen = try chooseStream(context)
        for index in 0..<Int(context.pointee.nb_streams) where context.pointee.streams[index] != chosen.0 {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
        // FFmpeg has divided the PCM read so far into packets by the wrong size, so a packet may end inside a sample.
        if traits.statesSampleSize, correctSampleSize(chosen.0.pointee.codecpar), io.source.isSeekable {
            _ = try Demuxer.limited { av_seek_frame(context, chosen.0.pointee.index, 0, 0) }
        }
        // Between the timestamps of Ogg, counting samples is more exact than FFmpeg's estimates.
        if traits.container == .ogg { context.pointee.flags |= AVFMT_FLAG_NOFILLIN }
        return chosen
    }

    /// Computes the size of a PCM frame from that of a sample, because the header may be wrong, and FFmpeg seeks by it. Returns whether it was wrong.
    private static func correctSampleSize(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
        let bits = Int64(av_get_exact_bits_per_sample(parameters.pointee.codec_id)), channels = Int64(parameters.pointee.ch_layout.nb_channels)
        let rate = Int64(parameters.pointee.sample_rate)
        guard bits > 0, bits % 8 == 0, (1...64).contains(channels), rate > 0 else { return false }
        let stated = parameters.pointee.block_align
        parameters.pointee.block_align = Int32(channels * bits / 8)
        parameters.pointee.bit_rate = rate * channels * bits
        return stated != parameters.pointee.block_align
    }

    /// The range of the original recording, in the time base of the stream; nil if the file does not state it.
    var window: RecordingWindow? {
        if let window = packetTable?.window { return window }
        guard var window = movie?.window(ofTrack: Int64(stream.pointee.id)) else { return nil }
        if let gapless {
            // The tag is trusted if its sum differs from the media's length by at most 4096 samples, or if its priming is that of the edit list.
            let all = gapless.priming + gapless.padding + gapless.samples
            if abs(all - (window.end ?? all)) <= 4096 || window.origin == gapless.priming {
                window.origin = gapless.priming
                window.end = gapless.priming + gapless.samples
            }
        }
        return window
    }

    /// iTunes' tag in the medium; nil if there is none.
    var gapless: ITunesGapless? {
        av_dict_get(context.pointee.metadata, "iTunSMPB", nil, 0)?.pointee.value.flatMap { ITunesGapless(String(cString: $0)) }
    }

    /// The granule position of the last page of an Ogg stream, in the stream's time base; nil if FFmpeg has not read that page. FFmpeg subtracts the
    /// granule position of the start from the duration of Vorbis, but not from that of Opus.
    var lastGranule: Int64? {
        let start = stream.pointee.start_time, end = stream.pointee.duration, none = CFFmpeg_noTimestamp()
        guard traits.container == .ogg, end != none, end > 0 else { return nil }
        return codec == AV_CODEC_ID_OPUS || start == none ? end : end.addingReportingOverflow(start).partialValue
    }

    /// Corrects the sample rate by a packet of MPEG audio. FFmpeg reports the rate of the last header that it examined, also for its first frame; in
    /// joined MP3 files that may be wrong. Returns whether the rate was wrong.
    func takeRate(from packet: UnsafePointer<AVPacket>) -> Bool {
        guard [AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3].contains(codec), let data = packet.pointee.data else { return false }
        let bytes = UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size)))
        guard let header = MPEGAudioHeader(bytes), header.sampleRate != Int(parameters.pointee.sample_rate) else { return false }
        parameters.pointee.sample_rate = Int32(header.sampleRate)
        return true
    }

    /// Reads the next packet. Returns false at the end. Damaged data is skipped; after 1024 failed reads the stream ends, because some demuxers
    /// return an error for ever.
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(PlaybackError) -> Bool {
        var failures = 0
        while failures < Demuxer.patience {
            try io.check()
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
            try io.check()
            switch code {
            case FFmpegError.endOfFile: return false
            case FFmpegError.tryAgain, FFmpegError.invalidData:
                failures += 1
                // FFmpeg has read 32 damaged bytes as the head of a block, and would expect the next block directly after them.
                if traits.container == .wavPack, try !WavPackBlock.seekToNext(io) { return false }
            case -EIO where io.failure == nil:
                // Without an error of the source, the medium ends inside a packet.
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
    /// Whether unreadable data followed the last packet.
    private(set) var isIncomplete = false

    /// Seeks to the packet at a timestamp, or to an earlier one, as near as the container's index allows; in the time base of the stream.
    func seek(timestamp: Int64) throws(PlaybackError) {
        if let samples { return samples.seek(to: timestamp) }
        let code = try Demuxer.limited {
            io.indexing(stream) { av_seek_frame(context, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) }
        }
        if code < 0 { throw io.error(code, while: .seeking) }
    }

    func seek(byte offset: Int64) throws(PlaybackError) {
        let code = try Demuxer.limited { av_seek_frame(context, stream.pointee.index, offset, AVSEEK_FLAG_BYTE) }
        if code < 0 { throw io.error(code, while: .seeking) }
    }

    /// Recognises the container by its content only; `start` is after the ID3v2 tags.
    private static func probe(
        _ io: IOContext, _ source: HeadSource, afterTags start: Int64
    ) throws(PlaybackError) -> UnsafePointer<AVInputFormat> {
        // A station sends some seconds of audio at once and the rest in real time, and begins within an MP3 frame. FFmpeg would wait for up to 200
        // frames, so it first has to decide from 16 KiB; 0 means FFmpeg's own limit.
        for limit: UInt32 in io.source.isLive ? [16_384, 0] : [0] {
            var probed: UnsafePointer<AVInputFormat>?
            let score = av_probe_input_buffer2(io.raw, &probed, nil, nil, 0, limit)
            if let probed, DemuxerPolicy.allows(probed) {
                if score >= DemuxerPolicy.minimumScore { return probed }
                if score > 0, ContainerTraits(probed).container == .mpegAudio, try MPEGAudioRun.isFound(in: source, at: start) { return probed }
            }
            try io.check()
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
        // The whitelist also applies to the contexts that a demuxer makes internally.
        av_opt_set(allocated, "protocol_whitelist", "none", 0)
        av_opt_set(allocated, "format_whitelist", DemuxerPolicy.whitelist, 0)
        av_opt_set(allocated, "codec_whitelist", DecoderPolicy.whitelist, 0)
        av_opt_set_int(allocated, "max_streams", Int64(DemuxerPolicy.streamLimit), 0)
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // FFmpeg searches 32 packets for DTS disguised as PCM; eight of 4 KiB are enough. FFmpeg 7.1's own packets have a tenth of a second.
        if traits.container == .wave || traits.container == .w64 {
            allocated.pointee.max_probe_packets = 8
            av_dict_set(&options, "max_size", "4096", 0)
        }
        // A station sends in real time what FFmpeg reads first, so its waits for a timestamp and for more streams are shortened (R-LIVE-02).
        if io.source.mayBeLive {
            allocated.pointee.max_ts_probe = 0
            allocated.pointee.max_analyze_duration = 2_000_000
        }
        if ignoresEdits { av_dict_set(&options, "ignore_editlist", "1", 0) }
        CFFmpegLimits_begin()
        defer { CFFmpegLimits_end() }
        let code = avformat_open_input(&context, nil, probed, &options), hasTooMany = CFFmpegLimits_isExceeded() != 0
        // If the opening has failed, FFmpeg has already freed the context.
        guard code >= 0, let context else { throw hasTooMany ? .tooManyChapters : io.error(code, while: .opening) }
        let handle = FormatHandle(owning: context, io: io)
        if hasTooMany { throw .tooManyChapters }
        return handle
    }

    /// Calls FFmpeg under the limits of tags and chapters (`CFFmpegLimits`): throws for too many chapters or programs, and discards surplus tags.
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
        if hasAudio { throw .noDecoder }
        if hasPicture { throw PlaybackError(.noAudio, "The medium has no audio.") }
        throw .notMedia
    }
}

extension Demuxer {
    /// The number of entries in the played stream's index: in `samples`, or in FFmpeg's index.
    var indexCount: Int64 { samples?.tables.count ?? Int64(avformat_index_get_entries_count(stream)) }

    /// The time of an entry, in the stream's time base.
    func indexedTime(_ number: Int64) -> Int64? {
        guard number >= 0, number < indexCount else { return nil }
        return samples?.tables.time(of: number) ?? avformat_index_get_entry(stream, Int32(number))?.pointee.timestamp
    }

    /// The offset and the size of an entry; nil also if the tables cannot be read.
    func indexed(_ number: Int64) -> (byte: Int64, size: Int64)? {
        guard number >= 0, number < indexCount else { return nil }
        if let samples { return (try? samples.sample(number)).map { ($0.byte, $0.size) } }
        return avformat_index_get_entry(stream, Int32(number)).map { ($0.pointee.pos, Int64($0.pointee.size)) }
    }

    /// Whether every packet but the last lasts at most `limit` ticks; false if the index is empty or too long.
    func isIndexDense(limit: Int64) -> Bool {
        if let samples { return samples.tables.longestDuration <= limit }
        guard indexCount <= SampleTables.threshold * 2, var last = indexedTime(0) else { return false }
        for number in 1..<max(1, indexCount) {
            guard let time = indexedTime(number), time &- last <= limit else { return false }
            last = time
        }
        return true
    }
}

/// The original recording without the encoder's samples, in ticks of the time base, if the container states it.
struct RecordingWindow: Equatable {
    /// The media time of position 0; negative if silence precedes the media.
    var origin: Int64
    /// The end of the recording; nil if the header does not state it.
    var end: Int64?
    /// The end of the media, with samples after the recording; nil if the header does not state it.
    var media: Int64?
}
