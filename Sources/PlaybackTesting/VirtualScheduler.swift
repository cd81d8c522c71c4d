public import Platform
import PlaybackEngine
import Synchronization

/// A scheduler for the main actor in tests. Scheduled work runs only when the test requests it, and in a fixed order: by deadline. Work with equal
/// deadlines runs in the order of scheduling.
public final class VirtualScheduler: MainScheduler {
    private struct Work: Sendable {
        var run: @MainActor @Sendable () -> Void
    }
    private let clock: VirtualClock
    private let turns = Mutex<[Work]>([])
    @MainActor private var actions: [VirtualAction] = []
    @MainActor private var nextNumber = 0

    public init(clock: VirtualClock) { self.clock = clock }

    public func async(_ work: @escaping @MainActor @Sendable () -> Void) { turns.withLock { $0.append(Work(run: work)) } }

    @MainActor public func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction {
        let action = VirtualAction(time: time, number: nextNumber, work: work)
        nextNumber += 1
        actions.append(action)
        return action
    }

    /// Runs all enqueued work, including work that is enqueued while other work runs, without advancing the clock.
    @MainActor public func run() {
        while let work = turns.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work.run() }
    }

    /// Runs the enqueued work, and then advances the clock by `seconds`. On the way, the clock stops at the deadline of each scheduled work, and that
    /// work runs.
    @MainActor public func advance(by seconds: Double) {
        let target = clock.now + seconds
        run()
        while let next = nextAction(until: target) {
            clock.advance(to: next.time)
            actions.removeAll { $0 === next }
            next.fire()
            run()
        }
        clock.advance(to: target)
        run()
    }

    /// The number of scheduled actions that were not cancelled. Tests check with it that a paused player schedules no actions.
    @MainActor public var scheduledCount: Int {
        actions.removeAll { $0.isCancelled }
        return actions.count
    }

    @MainActor private func nextAction(until target: HostTime) -> VirtualAction? {
        actions.removeAll { $0.isCancelled }
        return actions.filter { $0.time <= target }.min { ($0.time, $0.number) < ($1.time, $1.number) }
    }
}

@MainActor private final class VirtualAction: ScheduledAction {
    let time: HostTime
    let number: Int
    private var work: (@MainActor @Sendable () -> Void)?

    init(time: HostTime, number: Int, work: @escaping @MainActor @Sendable () -> Void) {
        self.time = time
        self.number = number
        self.work = work
    }

    var isCancelled: Bool { work == nil }
    func cancel() { work = nil }
    func fire() {
        let work = work
        self.work = nil
        work?()
    }
}
