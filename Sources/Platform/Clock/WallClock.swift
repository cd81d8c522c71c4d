import Glibc

/// A source of the date: the system's clock in production, a fixed clock in tests. Durations are measured with `HostClock`, not with `WallClock`.
public protocol WallClock: Sendable {
    /// The present date, in seconds since 1970-01-01 UTC.
    var secondsSince1970: Double { get }
}

/// The system's wall clock (CLOCK_REALTIME).
public struct SystemWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
