public import Platform
import Synchronization

/// A wall clock that always shows the same time: the start of 2026, UTC.
public struct FixedWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double { 1_767_225_600 }
}

/// A clock that advances only by calls of a test. Any thread.
public final class VirtualClock: HostClock {
    private let time: Mutex<HostTime>

    /// Makes a clock that starts at `seconds`. The default is not 0, so that a test fails if media time is used as host time.
    public init(seconds: Double = 1_000) { time = Mutex(HostTime(seconds: seconds)) }

    public var now: HostTime { time.withLock { $0 } }

    /// Advances to `target`; never backwards.
    public func advance(to target: HostTime) { time.withLock { $0 = max($0, target) } }
    /// Advances by `seconds`, which must not be negative.
    public func advance(by seconds: Double) { advance(to: now + seconds) }
}
