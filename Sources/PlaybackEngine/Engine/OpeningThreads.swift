import Synchronization

/// Runs opens, each on a thread of its own, so that a server that is slow to answer delays nothing but its own item. A thread lasts as long as there are
/// opens for it.
final class OpeningThreads: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threads: [Int: WorkerThread] = [:]
        var lastThread = 0
        var isStopped = false
    }
    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: opens at once; more wait for one to end. Whoever drops an item raises its interrupt, so that it ends soon.
    init(limit: Int = 4) { self.limit = max(1, limit) }

    /// Opens for which there is no room yet.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs an open as soon as there is room. Any thread.
    func run(_ open: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard !state.isStopped else { return }
            guard state.threads.count < limit else { return state.waiting.append(open) }
            state.lastThread += 1
            let number = state.lastThread
            // It is noted before it can end: its end takes the lock.
            state.threads[number] = WorkerThread(name: "opener") {
                open()
                while let next = self.next(number) { next() }
            }
        }
    }

    /// The open that has waited longest; nil where the thread is to end, which is then forgotten: it detaches itself.
    private func next(_ number: Int) -> (@Sendable () -> Void)? {
        // Dropped after the lock.
        var ended: WorkerThread?
        defer { withExtendedLifetime(ended) {} }
        return state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            ended = state.threads.removeValue(forKey: number)
            return nil
        }
    }

    /// Drops what waits and returns when what runs has ended; nothing is run any more. Idempotent; called from none of its threads.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            state.waiting = []
            defer { state.threads = [:] }
            return Array(state.threads.values)
        }
        for thread in running { thread.join() }
    }
}
