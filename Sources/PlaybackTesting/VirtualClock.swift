public import PlaybackEngine
import Synchronization

/// It is always the same moment: the beginning of 2026, UTC.
public struct FixedWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double { 1_767_225_600 }
}

/// A clock that stands still until the test moves it. Callable from any thread.
public final class VirtualClock: HostClock {
    private let time: Mutex<HostTime>

    /// A clock that begins at `seconds`: not 0, so that a test that mistakes media time for host time fails.
    public init(seconds: Double = 1_000) { time = Mutex(HostTime(seconds: seconds)) }

    public var now: HostTime { time.withLock { $0 } }

    /// Moves on to `target`; never backwards.
    public func advance(to target: HostTime) { time.withLock { $0 = max($0, target) } }
    /// Moves on by `seconds`, not negative.
    public func advance(by seconds: Double) { advance(to: now + seconds) }
}
