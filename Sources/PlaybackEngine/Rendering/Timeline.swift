public import CoreMedia

/// The media frame of each output frame: a short list of segments, the newest last. Segments that can no longer be heard are removed.
public struct Timeline: Sendable, Hashable {
    /// The output frames n from `start` on: item `item`, media frame `mediaStart + (n − start) · rate`.
    public struct Segment: Sendable, Hashable {
        public var start: Int64
        public var item: ItemID
        /// The media position at `start`, in frames at `sampleRate`; fractional after rates other than 1.
        public var mediaStart: Double
        /// Media frames for each output frame; negative in reverse; never 0.
        public var rate: Double
        /// The output frame after the last one of this segment; nil if it is not known yet. The next segment begins there, or none follows yet.
        public var end: Int64?
        /// Whether `end` is the item's own end (after its last frame, or its first in reverse). The player reports `didPlayToEndTime` when it is
        /// heard.
        public var reachesEndOfItem: Bool

        public init(start: Int64, item: ItemID, mediaStart: Double, rate: Double, end: Int64? = nil, reachesEndOfItem: Bool = false) {
            self.start = start
            self.item = item
            self.mediaStart = mediaStart
            self.rate = rate
            self.end = end
            self.reachesEndOfItem = reachesEndOfItem
        }

        /// Returns the media position at an output frame, in frames.
        public func mediaFrame(at frame: Int64) -> Double { mediaStart + Double(frame - start) * rate }
        /// Returns the first output frame at which the media position `media` has been reached; nil if the segment begins after that position.
        public func outputFrame(ofMedia media: Double) -> Int64? {
            let distance = (media - mediaStart) / rate
            return distance < 0 ? nil : FrameCount.adding(start, FrameCount.saturating(distance.rounded(.up)))
        }
    }

    /// The segments in order of `start`. Between two of them there is a gap only if nothing was played.
    public var segments: [Segment]
    /// The number of output frames rendered so far. None after them can be heard.
    public var written: Int64
    /// Output frames per second.
    public var sampleRate: Int
    /// The newest seek whose audio is in the segments, 0 before the first. It shows a reader whether it has already received the event of that seek.
    public var landedSeek: UInt64 = 0

    public init(segments: [Segment] = [], written: Int64 = 0, sampleRate: Int = 44_100) {
        self.segments = segments
        self.written = written
        self.sampleRate = sampleRate
    }

    /// Returns the segment of an output frame: the last one that starts at or before it. A frame before all segments has none.
    public func segment(at frame: Int64) -> Segment? {
        segments.last { $0.start <= frame }
    }

    /// Returns a media position as an exact rational time at the stream's rate, rounded to a frame, never negative.
    public func time(ofMediaFrame frame: Double) -> CMTime {
        CMTime(value: max(0, Int64(frame.rounded())), timescale: CMTimeScale(sampleRate))
    }
}
