public import PlaybackEngine
import Synchronization

/// A clock that moves only when the test says so.
public final class VirtualClock: HostClock {
    private let time: Mutex<HostTime>

    public init(seconds: Double = 1000) { time = Mutex(HostTime(seconds: seconds)) }

    public var now: HostTime { time.withLock { $0 } }
    public func advance(by seconds: Double) { time.withLock { $0 = $0 + seconds } }
}
