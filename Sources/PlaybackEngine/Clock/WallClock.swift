import Glibc

/// Tells the date. The system's clock in production, a fixed one in tests. Never used to measure time: that is `HostClock`'s business.
public protocol WallClock: Sendable {
    /// Seconds since 1970-01-01 UTC.
    var secondsSince1970: Double { get }
}

/// CLOCK_REALTIME.
public struct SystemWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
