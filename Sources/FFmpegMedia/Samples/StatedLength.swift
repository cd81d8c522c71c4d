import CFFmpeg
import PlaybackEngine

/// The length that a medium states, and its certainty: FFmpeg's length can be exact only if the container counts samples.
struct StatedLength {
    private(set) var duration: MediaDuration = .unknown
    /// The number of frames that the encoder added before the recording; 0 if unknown.
    let delay: Int
    /// The number of frames that the encoder added after the recording; 0 if unknown.
    private(set) var padding = 0
    /// The position at which delivery must stop, in frames, even if the packets contain more audio; nil if unknown.
    private(set) var limit: Int64?
    /// The size of the medium when it was opened, in bytes, if `limit` depends on it (in Ogg); otherwise nil.
    private var measuredSize: Int64?

    init(_ packets: PacketTimeline) throws(PlaybackError) {
        let rate = packets.start.format.sampleRate, size = packets.demuxer.io.source.length
        let origin = packets.demuxer.window.flatMap { packets.clock.raw($0.origin) }
        delay = origin.map { Int(clamping: max(0, $0)) } ?? packets.start.skippedSamples
        // An impossible length is not even an estimate.
        let stated = try exact(packets).map { max(0, $0) }.flatMap { LengthCheck.isImpossible($0, in: size) ? nil : $0 }
        if let stated {
            switch LengthCheck.verdict(of: stated, packets) {
            case .exactly(let frames): duration = .exact(frames: frames, sampleRate: rate)
            case .about(let frames):
                // A length of 0 frames is no estimate.
                if frames > 0 { duration = .estimated(frames: frames, sampleRate: rate) }
            // If the timestamps are rounded, only the lengths of the packets are exact, not the length that the container states.
            case .confirmed where packets.isRounded: duration = .estimated(frames: stated, sampleRate: rate)
            case .confirmed: duration = .exact(frames: stated, sampleRate: rate)
            }
        } else if let estimate = StatedLength.estimate(packets), estimate > 0 {
            duration = .estimated(frames: estimate, sampleRate: rate)
        }
        duration = LengthCheck.possible(duration, in: size)
    }

    /// Returns the length in frames, if the medium counts samples; otherwise nil. Also sets `limit`, `padding` and, in Ogg, `measuredSize`.
    private mutating func exact(_ packets: PacketTimeline) throws(PlaybackError) -> Int64? {
        let demuxer = packets.demuxer, container = demuxer.traits.container
        if let window = demuxer.window, let end = window.end.flatMap({ packets.clock.raw($0) }) {
            limit = max(0, end - packets.clock.origin)
            padding = Int(clamping: max(0, (window.media.flatMap { packets.clock.raw($0) } ?? end) - end))
            return limit
        }
        if let gapless = packets.start.gapless {
            padding = Int(max(0, gapless.padding - Int64(XingTag.decoderDelay)))
            limit = gapless.samples
            return limit
        }
        if let tag = demuxer.xing, tag.isAboutWholeFile {
            padding = tag.padding.map { max(0, $0 - XingTag.decoderDelay) } ?? 0
            // If more than a sixteenth of the bytes that the Xing tag states is missing, the tag's number of frames is not that of the file.
            if let bytes = tag.bytes, let size = demuxer.io.source.length, size < bytes - bytes / 16 { return nil }
            let samples = tag.samples(in: packets.start.frameSize)
            if tag.padding != nil { limit = samples }
            return samples
        }
        // A track of MP4 or Matroska may contain only a part of a FLAC stream, but with the header of the whole stream. Matroska states only a
        // rounded duration.
        if demuxer.codec == AV_CODEC_ID_FLAC, container == .matroska { return nil }
        if demuxer.codec == AV_CODEC_ID_FLAC, container != .mp4, let total = FLACStreamInfo.sampleCount(demuxer.parameters) {
            return total - packets.clock.origin
        }
        guard packets.clock.basis != .counting || packets.isRounded,
            demuxer.context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
            let stated = stated(demuxer).flatMap({ packets.clock.raw($0) })
        else { return nil }
        // A Core Audio file states the length of whole packets, but the last packet may contain fewer samples.
        if container == .coreAudio, !CodecTraits.isPulseCode(demuxer.codec) { return nil }
        if container == .mp4 {
            // A fragmented file states no length, so FFmpeg's length includes only the fragments that it has reached. If FFmpeg applies the edit
            // lists, its length is rounded.
            guard demuxer.movie != nil else { return nil }
            limit = max(0, stated - packets.clock.origin)
            return limit
        }
        if container == .trueAudio {
            // All frames of True Audio but the last have one length. If the last frame is damaged, only the header shows its length.
            limit = max(0, stated - packets.clock.origin)
            return limit
        }
        guard container == .ogg else { return stated }
        guard var end = demuxer.lastGranule.flatMap({ packets.clock.raw($0) }) else { return nil }
        // FFmpeg counts the positions in a stream of a single page from 0, whatever its granule position is, because that states only how many of
        // the last samples are left out (RFC 7845, section 4.4; Vorbis I, section A.2).
        let single = try packets.samplesOfSinglePage()
        if let single { end = min(end, single) }
        // The granule positions of Opus include the encoder's delay.
        if demuxer.codec == AV_CODEC_ID_OPUS { end -= Int64(demuxer.parameters.pointee.initial_padding) }
        limit = max(0, single == nil ? end - packets.clock.origin : end)
        measuredSize = demuxer.io.source.length
        return limit
    }

    /// Returns whether a local medium has grown since `limit` was read, as a recording in progress does.
    func hasGrown(_ demuxer: Demuxer) -> Bool {
        guard let measuredSize, limit != nil, !demuxer.io.source.isRemote, let length = demuxer.io.source.length else { return false }
        return length > measuredSize
    }

    /// Removes the limit, because the audio is longer. The length remains as an estimate, or becomes `estimate` if that is greater.
    mutating func removeLimit(estimate: Int64 = 0) {
        limit = nil
        if case .exact(let frames, let rate) = duration { duration = .estimated(frames: max(frames, estimate), sampleRate: rate) }
    }

    /// Returns the duration that FFmpeg states for the stream, in ticks of the stream's time base; nil if there is none.
    private func stated(_ demuxer: Demuxer) -> Int64? {
        let duration = demuxer.stream.pointee.duration
        return duration != CFFmpeg_noTimestamp() && duration > 0 ? duration : nil
    }

    private static func estimate(_ packets: PacketTimeline) -> Int64? {
        let demuxer = packets.demuxer, container = demuxer.traits.container
        let delay = Int64(packets.start.skippedSamples)
        if demuxer.traits.isFrameStream, let io = demuxer.io.raw, !demuxer.io.source.isRemote,
            let estimate = RawStreamEstimate(
                io, start: packets.start.first.byte, isADTS: container == .adts, sampleRate: packets.start.format.sampleRate)
        {
            return estimate.samples - delay
        }
        if let samples = demuxer.xing?.samplesByHead { return samples - delay }
        if demuxer.codec == AV_CODEC_ID_SHORTEN, let packet = packets.start.packets.first?.raw, let data = packet.pointee.data {
            return ShortenHeader.frames(UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size))))
        }
        let stated = demuxer.stream.pointee.duration, whole = demuxer.context.pointee.duration
        if stated != CFFmpeg_noTimestamp(), stated > 0, let frames = packets.clock.raw(stated) { return frames - delay }
        guard whole != CFFmpeg_noTimestamp(), whole > 0 else { return nil }
        let frames = av_rescale(whole, Int64(packets.start.format.sampleRate), Int64(AV_TIME_BASE))
        return (0...PacketClock.furthest).contains(frames) ? frames - delay : nil
    }
}
