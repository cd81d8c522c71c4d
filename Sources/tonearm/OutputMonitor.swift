import Platform
import PlaybackEngine
import Synchronization

/// Searches for a sound server at intervals, while a search is requested. Without a requested search, the monitor's own thread sleeps.
final class OutputMonitor: Sendable {
    private struct State {
        var isSearching = false
        var isStopped = false
    }
    private let state = Mutex(State())
    private let changed = WakeSignal()

    /// Creates a monitor that does not search for a sound server yet.
    ///
    /// - Parameters:
    ///   - interval: The time between two attempts to reach a sound server, in seconds.
    ///   - isReachable: The function that returns whether a sound server can be reached. It is called on the monitor's thread, and may block.
    ///   - reselect: The function that is called on the monitor's thread after each attempt that reached a sound server.
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

    /// Starts or stops the search for a sound server. Any thread may call `setSearching`.
    func setSearching(_ isSearching: Bool) {
        let hasChanged = state.withLock { state in
            defer { state.isSearching = isSearching }
            return state.isSearching != isSearching
        }
        if hasChanged { changed.raise() }
    }

    /// Ends the monitor's thread, without waiting for its end. `stop` is idempotent.
    func stop() {
        state.withLock { $0.isStopped = true }
        changed.raise()
    }
}
