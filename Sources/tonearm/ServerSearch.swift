import Platform
import Synchronization

/// Searches for a sound server at intervals, while a search is requested; otherwise its thread sleeps.
final class ServerSearch: Sendable {
    private struct State {
        var isSearching = false
        var isStopped = false
    }
    private let state = Mutex(State())
    private let changed = WakeSignal()

    /// - Parameters:
    ///   - interval: The time between two attempts, in seconds.
    ///   - isReachable: Returns whether the server responds. Called on the search's thread; may block.
    ///   - reselect: Called on the search's thread after each successful attempt.
    init(
        interval: Double, clock: any HostClock = MonotonicClock(), isReachable: @escaping @Sendable () -> Bool,
        reselect: @escaping @Sendable () -> Void
    ) {
        _ = WorkerThread(name: "server search") { [self] in
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

    /// Starts or pauses the search. Any thread may call it.
    func setSearching(_ isSearching: Bool) {
        let hasChanged = state.withLock { state in
            defer { state.isSearching = isSearching }
            return state.isSearching != isSearching
        }
        if hasChanged { changed.raise() }
    }

    /// Ends the search without waiting for its thread. Further calls have no effect.
    func stop() {
        state.withLock { $0.isStopped = true }
        changed.raise()
    }
}
