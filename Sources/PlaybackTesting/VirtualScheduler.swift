public import Platform
import PlaybackEngine
import Synchronization

/// Runs the main actor's work only when the test requests it, in the order of deadlines, and for equal deadlines in the order of scheduling.
public final class VirtualScheduler: MainScheduler {
    private struct Work: Sendable {
        var run: @MainActor @Sendable () -> Void
    }
    private let clock: VirtualClock
    private let turns = Mutex<[Work]>([])
    private let actions = Mutex<(list: [VirtualAction], nextNumber: Int)>(([], 0))

    public init(clock: VirtualClock) { self.clock = clock }

    public func async(_ work: @escaping @MainActor @Sendable () -> Void) { turns.withLock { $0.append(Work(run: work)) } }

    public func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction {
        actions.withLock { actions in
            let action = VirtualAction(time: time, number: actions.nextNumber, work: work)
            actions.nextNumber += 1
            actions.list.append(action)
            return action
        }
    }

    /// Runs all enqueued work, also work that is enqueued meanwhile, without advancing the clock. Scheduled actions are not run.
    @MainActor public func run() {
        while let work = turns.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work.run() }
    }

    /// Advances the clock, which stops at the deadline of each action to run it.
    @MainActor public func advance(by seconds: Double) {
        let target = clock.now + seconds
        run()
        while let next = nextAction(until: target) {
            clock.advance(to: next.time)
            actions.withLock { $0.list.removeAll { $0 === next } }
            next.fire()
            run()
        }
        clock.advance(to: target)
        run()
    }

    /// The number of scheduled actions that are not cancelled; a paused player schedules none.
    public var scheduledCount: Int { waitingActions.count }

    private func nextAction(until target: HostTime) -> VirtualAction? {
        waitingActions.filter { $0.time <= target }.min { ($0.time, $0.number) < ($1.time, $1.number) }
    }

    /// The actions that are not cancelled; the others are removed.
    private var waitingActions: [VirtualAction] {
        actions.withLock { actions in
            actions.list.removeAll { $0.isCancelled }
            return actions.list
        }
    }
}

private final class VirtualAction: ScheduledAction {
    let time: HostTime
    let number: Int
    /// Nil after the work has started or was cancelled.
    private let work: Mutex<(@MainActor @Sendable () -> Void)?>

    init(time: HostTime, number: Int, work: @escaping @MainActor @Sendable () -> Void) {
        self.time = time
        self.number = number
        self.work = Mutex(work)
    }

    var isCancelled: Bool { work.withLock { $0 == nil } }
    func cancel() { _ = take() }
    @MainActor func fire() { take()?() }

    /// The work, which the caller releases outside the mutex, because its release may cancel other actions.
    private func take() -> (@MainActor @Sendable () -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }
}

/// A wall clock that always shows the start of 2026 in UTC.
public struct FixedWallClock: WallClock {
    public init() {}
    public var secondsSince1970: Double { 1_767_225_600 }
}

/// A clock that only a test advances. Any thread may use it.
public final class VirtualClock: HostClock {
    private let time: Mutex<HostTime>

    /// The clock does not start at 0, so that a test fails if a media time is used as a host time.
    public init(seconds: Double = 1_000) { time = Mutex(HostTime(seconds: seconds)) }

    public var now: HostTime { time.withLock { $0 } }

    /// Advances the clock to a time. A time in the past has no effect.
    public func advance(to target: HostTime) { time.withLock { $0 = max($0, target) } }
    /// Advances the clock by a number of seconds. A negative number has no effect.
    public func advance(by seconds: Double) { advance(to: now + seconds) }
}
