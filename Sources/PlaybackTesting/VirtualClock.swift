public import Platform
import Synchronization

/// Always the start of 2026 in UTC.
public struct FixedWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double { 1_767_225_600 }
}

/// Advances only by a test. Any thread.
public final class VirtualClock: HostClock {
    private let time: Mutex<HostTime>

    /// Not from 0, so that a test fails if a media time is used as a host time.
    public init(seconds: Double = 1_000) { time = Mutex(HostTime(seconds: seconds)) }

    public var now: HostTime { time.withLock { $0 } }

    /// Never back.
    public func advance(to target: HostTime) { time.withLock { $0 = max($0, target) } }
    /// Not negative.
    public func advance(by seconds: Double) { advance(to: now + seconds) }
}
