/// A seek, with its target and tolerance. All numbers are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// Media time, in seconds.
        case time(Double)
        /// The distance from the position that is heard now, in seconds.
        case offset(Double)
        /// A fraction of the duration, 0…1.
        case fraction(Double)
        /// A date as seconds since 1970, for live streams with dates.
        case date(Double)
        /// Media time as a fraction of seconds.
        case exactTime(value: Int64, timescale: Int32)
    }
    public enum Tolerance: Sendable, Hashable {
        case exact
        case any
        case range(before: Double, after: Double)
    }
    public var target: Target
    public var tolerance: Tolerance
    public init(target: Target, tolerance: Tolerance = .exact) { self.target = target; self.tolerance = tolerance }
}
