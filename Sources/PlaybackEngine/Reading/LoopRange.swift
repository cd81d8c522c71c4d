public import CoreMedia

/// A part of an item that is repeated: playback that reaches `end` goes on at `start` without a gap; in reverse, playback that reaches `start` goes
/// on at `end`. Both are media times, and are rounded to frames.
///
/// Playback enters the range from before its end. Audio after the end is played to the item's end, unless playback is reversed.
public struct LoopRange: Sendable, Hashable {
    /// The shortest range, in seconds. It limits the number of turns, and with it the work, in a second.
    public static let shortestDuration = 0.1

    public var start: CMTime
    public var end: CMTime

    /// A range; nil if a time is not numeric, if `start` is negative, or if the range is shorter than `shortestDuration`.
    public init?(start: CMTime, end: CMTime) {
        guard start.isNumeric, end.isNumeric, start >= .zero, (end - start).seconds >= Self.shortestDuration else { return nil }
        self.start = start
        self.end = end
    }
}

/// A loop in the frames of a format.
struct LoopFrames: Sendable, Equatable {
    let start: Int64
    let end: Int64

    /// The frames of a range before the frame `limit`; nil without a range, and if too little of the range is left.
    init?(_ range: LoopRange?, sampleRate: Int, limit: Int64 = .max) {
        guard let range, let start = FrameCount.frames(of: range.start, sampleRate: sampleRate),
            let end = FrameCount.frames(of: range.end, sampleRate: sampleRate)
        else { return nil }
        self.init(start: start, end: min(end, limit), sampleRate: sampleRate)
    }

    private init?(start: Int64, end: Int64, sampleRate: Int) {
        // Rounding may have shortened the shortest range by a frame.
        guard end - start >= Int64(Double(sampleRate) * LoopRange.shortestDuration) - 1 else { return nil }
        self.start = start
        self.end = end
    }

    /// Returns this loop with an end at or before `limit`, because the item is shorter than its container states; nil if too little of it is left.
    func ending(atMost limit: Int64, sampleRate: Int) -> LoopFrames? { LoopFrames(start: start, end: min(end, limit), sampleRate: sampleRate) }
}
