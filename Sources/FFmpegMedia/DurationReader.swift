import CFFmpeg
import PlaybackEngine

/// Finds out how long a stream is, and how sure that is. FFmpeg's own figure is only believed where a container counts samples.
struct DurationReader {
    let duration: MediaDuration
    /// Frames that the encoder put behind the recording.
    let padding: Int
    /// Where delivery must stop, in case the packets hold more.
    let limit: Int64?

    init(_ stream: SampleStream) {
        let demuxer = stream.demuxer
        let rate = stream.format.sampleRate
        let stated = demuxer.stream.pointee.duration
        let isStated = stated != CFFmpeg_noTimestamp() && stated > 0
        let isGuess = demuxer.context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
        if demuxer.name == "mp3", let io = demuxer.io.raw, let tag = XingTag(io), let frames = tag.samples(in: stream.start.frameSize) {
            duration = .exact(frames: frames, sampleRate: rate)
            padding = tag.padding.map { max(0, $0 - XingTag.decoderDelay) } ?? 0
            limit = nil
            return
        }
        if let window = demuxer.window, let end = window.end {
            let origin = stream.clock.origin
            let frames = max(0, stream.clock.raw(end) - origin)
            duration = .exact(frames: frames, sampleRate: rate)
            limit = frames
            padding = 0
            return
        }
        padding = 0
        limit = nil
        guard isStated else {
            duration = .unknown
            return
        }
        var end = stream.clock.raw(stated)
        if demuxer.name == "ogg" {
            // The last page's granule position, from which FFmpeg has taken the start.
            let start = demuxer.stream.pointee.start_time
            end += start == CFFmpeg_noTimestamp() ? 0 : stream.clock.raw(start)
            // Opus counts what its encoder put first; positions do not.
            if demuxer.codec == AV_CODEC_ID_OPUS { end -= Int64(demuxer.parameters.pointee.initial_padding) }
            end -= stream.clock.origin
        }
        let frames = max(0, end)
        if stream.clock.basis != .counting, !isGuess {
            duration = .exact(frames: frames, sampleRate: rate)
        } else {
            duration = .estimated(frames: frames, sampleRate: rate)
        }
    }
}
