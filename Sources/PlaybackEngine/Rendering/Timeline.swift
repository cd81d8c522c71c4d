public import CoreMedia
import Platform

/// The timeline: the item and the media frame of each output frame. A timeline is a short list of segments, the newest last. Segments that have been
/// heard are removed from the timeline.
public struct Timeline: Sendable, Hashable {
    /// A part of the timeline in one item at one rate: output frame n ≥ `start` is media frame `mediaStart + (n − start) · rate` of `item`.
    public struct Segment: Sendable, Hashable {
        public var start: Int64
        public var item: ItemID
        /// The media position at output frame `start`, in frames at the timeline's `sampleRate`. After playback at a rate other than 1, `mediaStart`
        /// may be a fraction of a frame.
        public var mediaStart: Double
        /// The number of media frames for each output frame. The rate of a segment is negative in reverse playback, and never 0.
        public var rate: Double
        /// The number of the output frame after the segment's last frame; nil if the end of the segment is not known yet. The next segment begins at
        /// output frame `end` or later.
        public var end: Int64?
        /// Whether the segment ends with the item's own end: the item's last frame, or in reverse playback its first frame. The player reports
        /// `didPlayToEndTime` when the end of such a segment is heard.
        public var reachesEndOfItem: Bool
        /// Whether the segment continues the item of the preceding segment without a gap: after the turn of a loop, or after the audio was read
        /// again. At the start of such a segment the media position changes only if the loop turns there.
        public var isJoined: Bool
        /// The number of turns of loops between the item's last start or seek and the segment.
        var turns = 0

        public init(
            start: Int64, item: ItemID, mediaStart: Double, rate: Double, end: Int64? = nil, reachesEndOfItem: Bool = false, isJoined: Bool = false
        ) {
            self.start = start
            self.item = item
            self.mediaStart = mediaStart
            self.rate = rate
            self.end = end
            self.reachesEndOfItem = reachesEndOfItem
            self.isJoined = isJoined
        }

        /// Returns the media position of an output frame, in frames.
        public func mediaFrame(at frame: Int64) -> Double { mediaStart + Double(frame - start) * rate }
        /// Returns the number of the first output frame at which the media position `media` (in frames) has been reached; nil if the segment begins
        /// beyond this position, in its direction of playback.
        public func outputFrame(ofMedia media: Double) -> Int64? {
            let distance = (media - mediaStart) / rate
            return distance < 0 ? nil : start.addingSaturating(Int64(saturating: distance.rounded(.up)))
        }
    }

    /// The segments of the timeline in the order of their start. There is a gap between two segments only if nothing was played between them.
    public var segments: [Segment]
    /// The number of output frames rendered so far. Output frames after the rendered ones cannot be heard yet.
    public var written: Int64
    /// The sample rate, in output frames per second.
    public var sampleRate: Int
    /// The number of the newest seek whose audio is in the segments; 0 before the first seek. If `landedSeek` is larger than the number in the last
    /// `seekCompleted` event, a reader of the timeline knows that the event of the newest seek has not arrived yet.
    public var landedSeek: UInt64 = 0

    public init(segments: [Segment] = [], written: Int64 = 0, sampleRate: Int = 44_100) {
        self.segments = segments
        self.written = written
        self.sampleRate = sampleRate
    }

    /// Returns the last segment that starts at or before an output frame. Returns nil if the output frame is before all segments.
    public func segment(at frame: Int64) -> Segment? {
        segments.last { $0.start <= frame }
    }

    /// Returns a media position (in frames) as an exact rational time in the sample rate. The returned time is rounded to a frame and never negative.
    public func time(ofMediaFrame frame: Double) -> CMTime {
        CMTime(value: max(0, Int64(frame.rounded())), timescale: CMTimeScale(sampleRate))
    }
}
