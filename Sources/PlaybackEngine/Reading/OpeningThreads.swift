import Platform
import Synchronization

/// Runs opens (`Opening`), each on a thread of its own, so that a slow server delays only its own item. A thread that has completed an open runs the
/// next one that waits. If none waits, the thread ends.
///
/// Files and remote media have separate limits (each a `Lane`), so that slow servers do not delay the opening of a file. An open beyond the limit
/// waits for a thread. A waiting open is discarded if its item is no longer needed. An open that never returns keeps its thread.
final class OpeningThreads: Sendable {
    private struct Lane {
        var waiting: [Opening] = []
        var threads: [Int: WorkerThread] = [:]
    }
    private struct State {
        var lanes: [Opening.Kind: Lane] = [:]
        var lastThread = 0
        var isStopped = false
    }
    private let state = Mutex(State())
    private let limit: Int
    private let makeThread: WorkerThread.Maker

    /// - Parameters:
    ///   - limit: the maximum number of opens of one kind at the same time. Further opens wait. The owner of an item that is no longer needed raises
    ///     its interrupt, so that the open ends soon.
    ///   - makeThread: the function that makes a thread. In tests the function can fail.
    init(limit: Int = 4, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.limit = max(1, limit)
        self.makeThread = makeThread
    }

    /// The number of opens that wait for a thread.
    var waitingCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Runs an open, at once or after another one has ended. Refuses the open if no thread can be made and no other open of its kind runs. Any thread
    /// may call it.
    func run(_ opening: Opening) {
        let refused = state.withLock { state -> [(Opening, PlaybackError)] in
            guard !state.isStopped else { return [] }
            var lane = state.lanes[opening.kind, default: Lane()]
            defer { state.lanes[opening.kind] = lane }
            // Waiting opens whose items are no longer needed are refused, so that they do not accumulate.
            var refused = lane.waiting.filter(\.interrupt.isRaised).map { ($0, PlaybackError(.cancelled, "The operation was cancelled.")) }
            lane.waiting.removeAll(where: \.interrupt.isRaised)
            guard lane.threads.count < limit else {
                lane.waiting.append(opening)
                return refused
            }
            state.lastThread += 1
            let number = state.lastThread
            do throws(SystemError) {
                // The thread is recorded before it can end, because its end needs the same lock.
                lane.threads[number] = try makeThread("opener") {
                    opening.run()
                    while let next = self.next(opening.kind, number) { next.run() }
                }
            } catch {
                if lane.threads.isEmpty { refused.append((opening, .noThread(error))) } else { lane.waiting.append(opening) }
            }
            return refused
        }
        for (opening, error) in refused { opening.refuse(error) }
    }

    /// Returns the open of a kind that has waited longest. Returns nil if none waits. The calling thread is then removed from the list; it ends and
    /// detaches itself.
    private func next(_ kind: Opening.Kind, _ number: Int) -> Opening? {
        // The removed thread is released after the lock.
        var ended: WorkerThread?
        defer { withExtendedLifetime(ended) {} }
        return state.withLock { state in
            guard var lane = state.lanes[kind] else { return nil }
            defer { state.lanes[kind] = lane }
            if !lane.waiting.isEmpty { return lane.waiting.removeFirst() }
            ended = lane.threads.removeValue(forKey: number)
            return nil
        }
    }

    /// Discards the waiting opens, and returns after the running ones have ended. No open runs after that. Idempotent. Not called on an opening
    /// thread.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            defer { state.lanes = [:] }
            return state.lanes.values.flatMap(\.threads.values)
        }
        for thread in running { thread.join() }
    }
}
