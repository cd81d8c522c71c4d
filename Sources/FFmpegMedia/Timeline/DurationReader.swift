import CFFmpeg
import PlaybackEngine

/// Finds out how long a stream is, and how sure that is. FFmpeg's own figure is only believed where a container counts samples.
struct DurationReader {
    private(set) var duration: MediaDuration = .unknown
    /// Frames that the encoder put behind the recording.
    private(set) var padding = 0
    /// Where delivery must stop, in case the packets hold more.
    private(set) var limit: Int64?

    init(_ stream: SampleStream) {
        let rate = stream.format.sampleRate, size = stream.demuxer.io.source.length
        // What cannot be is not even a guess.
        let stated = exact(stream).map { max(0, $0) }.flatMap { LengthCheck.isAbsurd($0, in: size) ? nil : $0 }
        switch (LengthCheck.verdict(of: stated, stream), stated) {
        case (.exactly(let frames), _): duration = .exact(frames: frames, sampleRate: rate)
        case (.about(let frames), _), (.doubtful, let frames?):
            // Nothing is no estimate: what is there will be told by reading it.
            if frames > 0 { duration = .estimated(frames: frames, sampleRate: rate) }
        // What was rounded on its way here is as long as its packets are.
        case (.confirmed, let frames?) where stream.isRounded: duration = .estimated(frames: frames, sampleRate: rate)
        case (.confirmed, let frames?): duration = .exact(frames: frames, sampleRate: rate)
        case (_, nil):
            guard let estimate = DurationReader.estimate(stream), estimate > 0, !LengthCheck.isAbsurd(estimate, in: size) else { return }
            duration = .estimated(frames: estimate, sampleRate: rate)
        }
    }

    /// The length where the medium itself counts samples.
    private mutating func exact(_ stream: SampleStream) -> Int64? {
        let demuxer = stream.demuxer
        if let window = demuxer.window, let end = window.end.flatMap({ stream.clock.raw($0) }) {
            limit = max(0, end - stream.clock.origin)
            padding = Int(clamping: max(0, (window.media.flatMap { stream.clock.raw($0) } ?? end) - end))
            return limit
        }
        if let tag = demuxer.xing, tag.isAboutWholeFile {
            padding = tag.padding.map { max(0, $0 - XingTag.decoderDelay) } ?? 0
            // Most of the file may be missing.
            if let bytes = tag.bytes, let size = demuxer.io.source.length, size < bytes - bytes / 16 { return nil }
            let samples = tag.samples(in: stream.start.frameSize)
            if tag.padding != nil { limit = samples }
            return samples
        }
        // What MP4 holds may be a part of what the header speaks of.
        if demuxer.codec == AV_CODEC_ID_FLAC, demuxer.name != "mov", let total = PacketMeter.flacTotal(demuxer.parameters) {
            return total - stream.clock.origin
        }
        guard stream.clock.basis != .counting || stream.isRounded,
            demuxer.context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
            let stated = stated(demuxer).flatMap({ stream.clock.raw($0) })
        else { return nil }
        // Core Audio's packet table counts whole packets: the last one may hold less.
        if demuxer.name == "caf", !CodecTraits.isPulseCode(demuxer.codec) { return nil }
        if demuxer.name == "mov" {
            // Fragmented: FFmpeg has added up all fragments, where it could go to them.
            // FFmpeg's own edits are rounded to milliseconds.
            guard demuxer.movie != nil else { return nil }
            limit = max(0, stated - stream.clock.origin)
            return limit
        }
        if demuxer.name == "tta" {
            // Its frames are alike but for the last: where that is damaged, or not in its place, only the header knows how long it is.
            limit = max(0, stated - stream.clock.origin)
            return limit
        }
        guard demuxer.name == "ogg" else { return stated }
        // The last page's granule position, from which FFmpeg has taken the start.
        let start = demuxer.stream.pointee.start_time
        guard let first = start == CFFmpeg_noTimestamp() ? 0 : stream.clock.raw(start) else { return nil }
        var end = stated + first
        // Opus counts what its encoder put first; positions do not.
        if demuxer.codec == AV_CODEC_ID_OPUS { end -= Int64(demuxer.parameters.pointee.initial_padding) }
        limit = max(0, end - stream.clock.origin)
        return limit
    }

    /// The stream's own duration, in its time base.
    private func stated(_ demuxer: Demuxer) -> Int64? {
        let duration = demuxer.stream.pointee.duration
        return duration != CFFmpeg_noTimestamp() && duration > 0 ? duration : nil
    }

    /// A guess.
    private static func estimate(_ stream: SampleStream) -> Int64? {
        let demuxer = stream.demuxer
        let delay = Int64(stream.start.skippedSamples)
        if demuxer.name == "mp3" || demuxer.name == "aac", let io = demuxer.io.raw, !demuxer.io.source.isRemote,
            let first = stream.queued.first?.raw.pointee.pos,
            let estimate = RawStreamEstimate(io, start: first, isADTS: demuxer.name == "aac")
        {
            let factor = demuxer.name == "aac" ? Double(stream.start.frameSize) / 1024 : 1
            return Int64(bounded: Double(estimate.samples) * factor) - delay
        }
        if let samples = demuxer.xing?.samplesByHead { return samples - delay }
        let stated = demuxer.stream.pointee.duration, whole = demuxer.context.pointee.duration
        if stated != CFFmpeg_noTimestamp(), stated > 0, let frames = stream.clock.raw(stated) { return frames - delay }
        guard whole != CFFmpeg_noTimestamp(), whole > 0 else { return nil }
        let frames = av_rescale(whole, Int64(stream.format.sampleRate), Int64(AV_TIME_BASE))
        return (0...PacketClock.furthest).contains(frames) ? frames - delay : nil
    }
}
