public import CoreMedia

/// A part of an item that is repeated. Forward playback that reaches `end` continues at `start` without a gap; reverse playback that reaches `start`
/// continues at `end`. `start` and `end` are media times, and are rounded to frames.
///
/// Forward playback from a position after `end` does not repeat: it plays to the item's end. Reverse playback from a position after `end` enters the
/// range and then repeats it.
public struct LoopRange: Sendable, Hashable {
    /// The shortest duration of a range, in seconds. The shorter a range, the more turns in a second, and each turn costs work.
    public static let shortestDuration = 0.1

    public var start: CMTime
    public var end: CMTime

    /// Makes a range. Returns nil if a time is not numeric, if `start` is negative, or if the range is shorter than `shortestDuration`.
    public init?(start: CMTime, end: CMTime) {
        guard start.isNumeric, end.isNumeric, start >= .zero, (end - start).seconds >= Self.shortestDuration else { return nil }
        self.start = start
        self.end = end
    }
}

/// The start and the end of a loop, in frames at the sample rate of the output.
struct LoopFrames: Sendable, Equatable {
    let start: Int64
    let end: Int64

    /// Converts a range to frames, and moves its end to the frame `limit` if the end is later. Returns nil if `range` is nil, or if the remaining
    /// range is too short.
    init?(_ range: LoopRange?, sampleRate: Int, limit: Int64 = .max) {
        guard let range, let start = FrameCount.frames(of: range.start, sampleRate: sampleRate),
            let end = FrameCount.frames(of: range.end, sampleRate: sampleRate)
        else { return nil }
        self.init(start: start, end: min(end, limit), sampleRate: sampleRate)
    }

    private init?(start: Int64, end: Int64, sampleRate: Int) {
        // The shortest allowed range may have become one frame shorter when its ends were rounded to frames.
        guard end - start >= Int64(Double(sampleRate) * LoopRange.shortestDuration) - 1 else { return nil }
        self.start = start
        self.end = end
    }

    /// Returns the loop with its end moved to `limit` if the end is later, because the item is shorter than its container states. Returns nil if the
    /// remaining loop is too short.
    func ending(atMost limit: Int64, sampleRate: Int) -> LoopFrames? { LoopFrames(start: start, end: min(end, limit), sampleRate: sampleRate) }
}
