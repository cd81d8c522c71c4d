import Glibc

/// A point of this machine's monotonic clock (CLOCK_MONOTONIC), in nanoseconds.
public struct HostTime: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    public init(seconds: Double) { self.nanoseconds = Int64(saturating: seconds * 1e9) }
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The sum is limited to the range of the nanoseconds (±292 years), because a client may send any time.
    public static func + (time: HostTime, seconds: Double) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds.addingSaturating(Int64(saturating: seconds * 1e9)))
    }
    /// The difference in seconds, limited to ±292 years.
    public static func - (a: HostTime, b: HostTime) -> Double { Double(a.nanoseconds.subtractingSaturating(b.nanoseconds)) / 1e9 }
}

/// The monotonic clock, or a virtual clock in tests. It may be read on any thread.
public protocol HostClock: Sendable {
    var now: HostTime { get }
}

/// The clock of the host, CLOCK_MONOTONIC, which only this type reads.
public struct MonotonicClock: HostClock {
    public init() {}
    public var now: HostTime { HostTime(of: CLOCK_MONOTONIC) }
}

/// The processor time that the calling thread has used, CLOCK_THREAD_CPUTIME_ID. Only differences on one thread have a meaning.
public struct ThreadClock: HostClock {
    public init() {}
    public var now: HostTime { HostTime(of: CLOCK_THREAD_CPUTIME_ID) }
}

extension HostTime {
    /// The present time of a clock of the system.
    fileprivate init(of clock: clockid_t) {
        var time = timespec()
        clock_gettime(clock, &time)
        self.init(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

/// A clock that tells the date, which is fixed in tests. Durations are measured with `HostClock` instead.
public protocol WallClock: Sendable {
    /// The present date, counted from the start of 1970 in UTC.
    var secondsSince1970: Double { get }
}

/// The clock of the system's date, CLOCK_REALTIME.
public struct SystemWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Runs functions on the main actor: by Dispatch, or by the virtual clock in tests.
public protocol MainScheduler: Sendable {
    /// Runs `work` in a later turn of the main actor, in the order of the calls. May be called on any thread.
    func async(_ work: @escaping @MainActor @Sendable () -> Void)
    /// Runs `work` at `time` or soon after; if `time` has passed, in a later turn of the main actor. The returned object can cancel it.
    /// May be called on any thread.
    func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction
}

/// Work that waits for its scheduled time. After `cancel`, which may be called more than once and on any thread, the work does not start, unless it has
/// already started on the main actor meanwhile.
public protocol ScheduledAction: AnyObject, Sendable {
    func cancel()
}
