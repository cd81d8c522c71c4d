import Glibc
import Synchronization

/// A point in host time: a value of this machine's monotonic clock (CLOCK_MONOTONIC), in nanoseconds.
public struct HostTime: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    public init(seconds: Double) { self.nanoseconds = Int64(saturating: seconds * 1e9) }
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Returns the host time `seconds` after `time`. The sum saturates at the ends of the clock, 292 years away, because a client may send any time.
    public static func + (time: HostTime, seconds: Double) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds.addingSaturating(Int64(saturating: seconds * 1e9)))
    }
    /// Returns the seconds from the host time `b` to the host time `a`. The difference saturates at the ends of the clock.
    public static func - (a: HostTime, b: HostTime) -> Double { Double(a.nanoseconds.subtractingSaturating(b.nanoseconds)) / 1e9 }
}

/// A source of host time: the monotonic clock in production, a virtual clock in tests. Any thread may use a `HostClock`.
public protocol HostClock: Sendable {
    var now: HostTime { get }
}

/// The system's monotonic clock (CLOCK_MONOTONIC), plus an offset that is 0 except in tests. Only `MonotonicClock` reads the system's monotonic
/// clock.
public struct MonotonicClock: HostClock {
    public init() {}
    public var now: HostTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        return HostTime(nanoseconds: nanoseconds.addingSaturating(Self.offset.load(ordering: .relaxed)))
    }

    /// The number of nanoseconds that `now` adds to the time of the system's clock.
    private static let offset = Atomic<Int64>(0)

    /// Adds `seconds` to the clock of this process. Tests use `add` to imitate a server that has been running for a long time. `add` must be called
    /// before any other use of the clock.
    public static func add(seconds: Double) { offset.store(Int64(saturating: seconds * 1e9), ordering: .relaxed) }

    /// Converts a time of `MonotonicClock` to a time of the system's monotonic clock: subtracts the offset that tests have added (`add`).
    static func systemTime(of time: HostTime) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds.subtractingSaturating(offset.load(ordering: .relaxed)))
    }
}
