import CFFmpeg
import PlaybackEngine

/// The length that a medium states for its stream, and how certain this length is. FFmpeg's duration of a stream can be the exact length only if the
/// container counts samples; otherwise it is at most an estimate.
struct StatedLength {
    private(set) var duration: MediaDuration = .unknown
    /// The number of frames that the encoder added before the original recording; 0 if it is unknown.
    let delay: Int
    /// The number of frames that the encoder added after the original recording; 0 if it is unknown.
    private(set) var padding = 0
    /// The position at which delivery of audio must stop, even if the packets hold more frames; nil if it is unknown.
    private(set) var limit: Int64?
    /// The length of the medium when it was opened, in bytes, if it determines `limit`: in Ogg, the last page states the length. Nil otherwise.
    private var measuredSize: Int64?

    init(_ packets: PacketTimeline) {
        let rate = packets.start.format.sampleRate, size = packets.demuxer.io.source.length
        let origin = packets.demuxer.window.flatMap { packets.clock.raw($0.origin) }
        delay = origin.map { Int(clamping: max(0, $0)) } ?? packets.start.skippedSamples
        // An impossible length in a medium's header is not used, not even as an estimate.
        let stated = exact(packets).map { max(0, $0) }.flatMap { LengthCheck.isImpossible($0, in: size) ? nil : $0 }
        switch (LengthCheck.verdict(of: stated, packets), stated) {
        case (.exactly(let frames), _): duration = .exact(frames: frames, sampleRate: rate)
        case (.about(let frames), _), (.doubtful, let frames?):
            // A stated length of 0 frames is not used as an estimate: reading the medium will show the length.
            if frames > 0 { duration = .estimated(frames: frames, sampleRate: rate) }
        // If the packets were copied from another container that had rounded their timestamps, only the packets' lengths determine the exact length
        // of the stream.
        case (.confirmed, let frames?) where packets.isRounded: duration = .estimated(frames: frames, sampleRate: rate)
        case (.confirmed, let frames?): duration = .exact(frames: frames, sampleRate: rate)
        case (_, nil):
            guard let estimate = StatedLength.estimate(packets), estimate > 0 else { return }
            duration = .estimated(frames: estimate, sampleRate: rate)
        }
        duration = LengthCheck.possible(duration, in: size)
    }

    /// Returns the length of the stream, in frames, if the medium itself counts samples; otherwise nil. Also sets `limit` (the position at which
    /// delivery must stop) and `padding` (the frames that the encoder added at the end), if the medium states them, and `measuredSize` in Ogg.
    private mutating func exact(_ packets: PacketTimeline) -> Int64? {
        let demuxer = packets.demuxer, container = demuxer.traits.container
        if let window = demuxer.window, let end = window.end.flatMap({ packets.clock.raw($0) }) {
            limit = max(0, end - packets.clock.origin)
            padding = Int(clamping: max(0, (window.media.flatMap { packets.clock.raw($0) } ?? end) - end))
            return limit
        }
        if let tag = demuxer.xing, tag.isAboutWholeFile {
            padding = tag.padding.map { max(0, $0 - XingTag.decoderDelay) } ?? 0
            // If more than a sixteenth of the bytes that the Xing tag of an MP3 file states are missing, its number of frames is not the length of
            // the file.
            if let bytes = tag.bytes, let size = demuxer.io.source.length, size < bytes - bytes / 16 { return nil }
            let samples = tag.samples(in: packets.start.frameSize)
            if tag.padding != nil { limit = samples }
            return samples
        }
        // An MP4 track may hold only a part of the FLAC stream that STREAMINFO describes.
        if demuxer.codec == AV_CODEC_ID_FLAC, container != .mp4, let total = FLACStreamInfo.sampleCount(demuxer.parameters) {
            return total - packets.clock.origin
        }
        guard packets.clock.basis != .counting || packets.isRounded,
            demuxer.context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
            let stated = stated(demuxer).flatMap({ packets.clock.raw($0) })
        else { return nil }
        // The packet table of a Core Audio file counts whole packets, but the last packet may hold fewer samples.
        if container == .coreAudio, !CodecTraits.isPulseCode(demuxer.codec) { return nil }
        if container == .mp4 {
            // The header of a fragmented MP4 file states no length: FFmpeg has added up the lengths of the fragments to which it could seek. If
            // FFmpeg applies the edit lists of an MP4 file, the length is rounded to milliseconds.
            guard demuxer.movie != nil else { return nil }
            limit = max(0, stated - packets.clock.origin)
            return limit
        }
        if container == .trueAudio {
            // All True Audio frames but the last one have the same length. If the last frame of the stream is damaged or misplaced, only the header
            // states its length.
            limit = max(0, stated - packets.clock.origin)
            return limit
        }
        guard container == .ogg else { return stated }
        // The length of an Ogg stream is the granule position of its last page, from which FFmpeg has subtracted the position of the start.
        let start = demuxer.stream.pointee.start_time
        guard let first = start == CFFmpeg_noTimestamp() ? 0 : packets.clock.raw(start) else { return nil }
        var end = stated + first
        // Granule positions of Opus include the encoder's delay; positions on Tonearm's timeline do not.
        if demuxer.codec == AV_CODEC_ID_OPUS { end -= Int64(demuxer.parameters.pointee.initial_padding) }
        limit = max(0, end - packets.clock.origin)
        measuredSize = demuxer.io.source.length
        return limit
    }

    /// Returns whether the local file has grown since `limit` was read at its end, as the file of a recording in progress does.
    func hasGrown(_ demuxer: Demuxer) -> Bool {
        guard let measuredSize, limit != nil, !demuxer.io.source.isRemote, let length = demuxer.io.source.length else { return false }
        return length > measuredSize
    }

    /// Removes the limit, because the audio is longer. The former length, or a greater estimate, remains as an estimate until the end is read.
    mutating func removeLimit(estimate: Int64 = 0) {
        limit = nil
        if case .exact(let frames, let rate) = duration { duration = .estimated(frames: max(frames, estimate), sampleRate: rate) }
    }

    /// Returns the duration that the stream itself states, in its time base; nil if it is unknown.
    private func stated(_ demuxer: Demuxer) -> Int64? {
        let duration = demuxer.stream.pointee.duration
        return duration != CFFmpeg_noTimestamp() && duration > 0 ? duration : nil
    }

    /// Returns an estimate of the stream's length, in frames; nil if there is none.
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
