/// Where to seek, and how exactly. Seconds; all numbers are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        case time(Double)
        /// From the position heard now.
        case offset(Double)
        /// 0…1 of the duration.
        case fraction(Double)
        /// Seconds since 1970, for live streams with a date mapping.
        case date(Double)
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
