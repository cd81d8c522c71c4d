/// All numbers are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// A media time, in seconds.
        case time(Double)
        /// From the current position, in seconds of media time.
        case offset(Double)
        /// Of the item's duration, 0…1.
        case fraction(Double)
        /// From the current position, in seconds of media time, or from the target of a pending seek, so that quick skips add up; limited to the
        /// item.
        case skip(Double)
        /// `value / timescale` seconds.
        case exactTime(value: Int64, timescale: Int32)
    }
    public enum Tolerance: Sendable, Hashable {
        /// Exact, but in a remote medium without an index perhaps estimated, instead of transferring many bytes (R-SEEK-21).
        case automatic
        case exact
        case any
        case range(before: Double, after: Double)
    }
    public var target: Target
    public var tolerance: Tolerance
    public init(target: Target, tolerance: Tolerance = .automatic) { self.target = target; self.tolerance = tolerance }
}
