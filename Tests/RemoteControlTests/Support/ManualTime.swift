import Platform
import PlaybackEngine
import Synchronization

/// A clock and a scheduler for tests. The clock advances only when the test advances it, and the scheduler then runs the due work.
final class ManualTime: HostClock, MainScheduler {
    private struct State {
        var now = HostTime(seconds: 8000)
        var turns: [@MainActor @Sendable () -> Void] = []
        var timers: [Timer] = []
        var count = 0
    }
    private struct Timer {
        let id: Int
        let time: HostTime
        let work: @MainActor @Sendable () -> Void
    }
    private let state = Mutex(State())

    var now: HostTime { state.withLock { $0.now } }

    func async(_ work: @escaping @MainActor @Sendable () -> Void) { state.withLock { $0.turns.append(work) } }

    func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction {
        let id = state.withLock { state in
            state.count += 1
            state.timers.append(Timer(id: state.count, time: time, work: work))
            return state.count
        }
        return Action { [self] in state.withLock { $0.timers.removeAll { $0.id == id } } }
    }

    /// The number of enqueued turns that have not run.
    var turnCount: Int { state.withLock { $0.turns.count } }
    /// The number of timers that have not fired.
    var timerCount: Int { state.withLock { $0.timers.count } }

    /// Runs the enqueued turns, and the turns that these enqueue.
    @MainActor func run() {
        while let turn = state.withLock({ $0.turns.isEmpty ? nil : $0.turns.removeFirst() }) { turn() }
    }

    /// Advances the clock, in seconds, without running timers or turns. This simulates time that passes during work on another thread.
    func pass(_ seconds: Double) { state.withLock { $0.now = $0.now + seconds } }

    /// Advances the clock, in seconds, and runs each due timer at its time.
    @MainActor func advance(by seconds: Double) {
        let end = now + seconds
        run()
        while let timer = state.withLock({ state -> Timer? in
            guard let index = state.timers.indices.min(by: { state.timers[$0].time < state.timers[$1].time }), state.timers[index].time <= end else {
                return nil
            }
            state.now = max(state.now, state.timers[index].time)
            return state.timers.remove(at: index)
        }) {
            timer.work()
            run()
        }
        state.withLock { $0.now = end }
    }

    private final class Action: ScheduledAction {
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        func cancel() { body() }
    }
}
