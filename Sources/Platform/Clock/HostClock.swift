import Glibc

/// A point in host time: a value of this machine's monotonic clock (CLOCK_MONOTONIC), in nanoseconds.
public struct HostTime: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    public init(seconds: Double) { self.nanoseconds = Int64(saturating: seconds * 1e9) }
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Returns the host time `seconds` after `time`. The sum of a host time and seconds saturates at the ends of the clock, 292 years away, because a
    /// client may send any time.
    public static func + (time: HostTime, seconds: Double) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds.addingSaturating(Int64(saturating: seconds * 1e9)))
    }
    /// Returns the seconds from the host time `b` to the host time `a`. The difference of two host times saturates at the ends of the clock.
    public static func - (a: HostTime, b: HostTime) -> Double {
        let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return Double(overflow ? (a > b ? .max : .min) : difference) / 1e9
    }
}

/// A source of host time: the monotonic clock in production, a virtual clock in tests. Any thread may use a `HostClock`.
public protocol HostClock: Sendable {
    var now: HostTime { get }
}

/// The system's monotonic clock (CLOCK_MONOTONIC). No code but `MonotonicClock` reads the system's monotonic clock.
public struct MonotonicClock: HostClock {
    public init() {}
    public var now: HostTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
