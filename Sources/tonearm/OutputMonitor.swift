import Platform
import PlaybackEngine
import Synchronization

/// Searches for a sound server while the player has to use another output. Its own thread sleeps while no search is requested.
final class OutputMonitor: Sendable {
    private struct State {
        var isSearching = false
        var isStopped = false
    }
    private let state = Mutex(State())
    private let changed = WakeSignal()

    /// - Parameters:
    ///   - interval: The time between two attempts, in seconds.
    ///   - isReachable: Returns whether a server can be reached. Called on the monitor's thread; may block.
    ///   - reselect: Called on that thread after each attempt that reached a server during a search.
    init(
        interval: Double, clock: any HostClock = MonotonicClock(), isReachable: @escaping @Sendable () -> Bool,
        reselect: @escaping @Sendable () -> Void
    ) {
        _ = WorkerThread(name: "output monitor") { [self] in
            while true {
                let now = state.withLock { $0 }
                if now.isStopped { return }
                guard now.isSearching else {
                    changed.wait()
                    continue
                }
                if isReachable(), state.withLock({ $0.isSearching && !$0.isStopped }) { reselect() }
                _ = changed.wait(until: clock.now + interval)
            }
        }
    }

    /// Starts or stops the search. Any thread.
    func setSearching(_ isSearching: Bool) {
        let hasChanged = state.withLock { state in
            defer { state.isSearching = isSearching }
            return state.isSearching != isSearching
        }
        if hasChanged { changed.raise() }
    }

    /// Ends the thread, without waiting for it. Idempotent.
    func stop() {
        state.withLock { $0.isStopped = true }
        changed.raise()
    }
}
