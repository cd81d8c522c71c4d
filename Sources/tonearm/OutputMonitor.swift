import Platform
import PlaybackEngine
import Synchronization

/// Looks for a better output while the player is on a poorer one, on a thread of its own, which sleeps for good while there is nothing to look for.
final class OutputMonitor: Sendable {
    private struct State {
        var isWanted = false
        var isStopped = false
    }
    private let state = Mutex(State())
    private let changed = WakeSignal()

    /// - Parameters:
    ///   - interval: seconds between two looks.
    ///   - isReachable: looks, and may block. On the monitor's thread.
    ///   - reselect: called, on that thread, each time it is reachable while that is wanted.
    init(
        interval: Double, clock: any HostClock = MonotonicClock(), isReachable: @escaping @Sendable () -> Bool,
        reselect: @escaping @Sendable () -> Void
    ) {
        _ = WorkerThread(name: "output monitor") { [self] in
            while true {
                let now = state.withLock { $0 }
                if now.isStopped { return }
                guard now.isWanted else {
                    changed.wait()
                    continue
                }
                if isReachable(), state.withLock({ $0.isWanted && !$0.isStopped }) { reselect() }
                _ = changed.wait(until: clock.now + interval)
            }
        }
    }

    /// Whether a better output is looked for. Any thread.
    func look(_ isWanted: Bool) {
        let hasChanged = state.withLock { state in
            defer { state.isWanted = isWanted }
            return state.isWanted != isWanted
        }
        if hasChanged { changed.raise() }
    }

    /// Ends the thread, soon. Idempotent.
    func stop() {
        state.withLock { $0.isStopped = true }
        changed.raise()
    }
}
