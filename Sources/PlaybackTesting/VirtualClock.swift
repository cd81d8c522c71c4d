public import Platform
import Synchronization

/// A wall clock that always shows the same time: the start of the year 2026 in UTC.
public struct FixedWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double { 1_767_225_600 }
}

/// A clock that advances only if a test advances it. Any thread may use the clock.
public final class VirtualClock: HostClock {
    private let time: Mutex<HostTime>

    /// Creates a virtual clock that starts at `seconds`. The default start is not 0, so that a test fails if a media time is used as a host time.
    public init(seconds: Double = 1_000) { time = Mutex(HostTime(seconds: seconds)) }

    public var now: HostTime { time.withLock { $0 } }

    /// Advances the clock to `target`. If `target` is earlier than the clock's present time, does nothing.
    public func advance(to target: HostTime) { time.withLock { $0 = max($0, target) } }
    /// Advances the virtual clock by `seconds`, which must not be negative.
    public func advance(by seconds: Double) { advance(to: now + seconds) }
}
