public import CoreMedia

/// Which media frame each output frame stands for: a short list of stretches, the newest last, those that nobody can hear any more dropped.
public struct Timeline: Sendable, Hashable {
    /// From output frame `start` on: item `item`, media frame `mediaStart + (n − start) · rate`.
    public struct Segment: Sendable, Hashable {
        public var start: Int64
        public var item: ItemID
        /// Media position at `start`, in frames at `sampleRate`; fractional after rates other than 1.
        public var mediaStart: Double
        /// Media frames for each output frame; negative in reverse; never 0.
        public var rate: Double
        /// The output frame behind the last one of this stretch, where it is known: the next stretch begins there, or nothing follows yet.
        public var end: Int64?
        /// True where `end` is the item's own end (its last frame, or its first in reverse): hearing it is `didPlayToEndTime`.
        public var reachesEndOfItem: Bool

        public init(start: Int64, item: ItemID, mediaStart: Double, rate: Double, end: Int64? = nil, reachesEndOfItem: Bool = false) {
            self.start = start
            self.item = item
            self.mediaStart = mediaStart
            self.rate = rate
            self.end = end
            self.reachesEndOfItem = reachesEndOfItem
        }

        /// The media position, in frames, at an output frame.
        public func mediaFrame(at frame: Int64) -> Double { mediaStart + Double(frame - start) * rate }
        /// The first output frame at which the media position `media` has been reached, or nil where it lies behind.
        public func outputFrame(ofMedia media: Double) -> Int64? {
            let distance = (media - mediaStart) / rate
            return distance < 0 ? nil : FrameCount.adding(start, FrameCount.saturating(distance.rounded(.up)))
        }
    }

    /// In order of `start`; without gaps except where nothing was playing.
    public var segments: [Segment]
    /// The number of output frames rendered into the ring so far: nothing is heard beyond it.
    public var written: Int64
    /// Output frames a second.
    public var sampleRate: Int
    /// The newest seek that has landed in these stretches, 0 before the first: whoever reads them knows whether they have heard of it yet.
    public var landedSeek: UInt64 = 0

    public init(segments: [Segment] = [], written: Int64 = 0, sampleRate: Int = 44_100) {
        self.segments = segments
        self.written = written
        self.sampleRate = sampleRate
    }

    /// The stretch that output frame `frame` belongs to: the last one that starts at or before it. A frame before all of them has none.
    public func segment(at frame: Int64) -> Segment? {
        segments.last { $0.start <= frame }
    }

    /// A media position as exact rational time at the stream's rate, rounded to a frame, never negative.
    public func time(ofMediaFrame frame: Double) -> CMTime {
        CMTime(value: max(0, Int64(frame.rounded())), timescale: CMTimeScale(sampleRate))
    }
}
