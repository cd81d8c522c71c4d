import Glibc

/// The date, fixed in tests. Durations are measured with `HostClock`.
public protocol WallClock: Sendable {
    /// UTC.
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
