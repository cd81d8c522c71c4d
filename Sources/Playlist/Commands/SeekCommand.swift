/// A seek, with its target and tolerance. All numbers of a seek command are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// The target of the seek is a media time, in seconds.
        case time(Double)
        /// The target of the seek is a signed distance from the current position, in seconds of media time.
        case offset(Double)
        /// The target of the seek is a fraction of the item's duration, 0…1.
        case fraction(Double)
        /// The target of the seek is a signed distance from the current position, in seconds of media time. While a seek is pending, it is a distance
        /// from the target of that seek, so that quick skips add up. It is limited to the item's start and end.
        case skip(Double)
        /// Media time of `value / timescale` seconds.
        case exactTime(value: Int64, timescale: Int32)
    }
    public enum Tolerance: Sendable, Hashable {
        /// Exactly at the target, with one exception: in a remote medium without an index, the position may be estimated if an exact position would
        /// need the transfer of many bytes (R-SEEK-21).
        case automatic
        case exact
        case any
        case range(before: Double, after: Double)
    }
    public var target: Target
    public var tolerance: Tolerance
    public init(target: Target, tolerance: Tolerance = .automatic) { self.target = target; self.tolerance = tolerance }
}
