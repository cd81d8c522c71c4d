import Platform
import Synchronization

/// Opens media (`Opening`), each on a thread of its own, so that a slow server delays only its own item. A thread that has opened a medium opens the
/// next medium that waits. If no opening waits, the thread ends.
///
/// Files and remote media have separate limits (each a `Lane`), so that slow servers do not delay the opening of a file. An opening beyond the limit
/// waits for a thread. A waiting opening is discarded if its item is no longer needed. An opening that never returns occupies its thread forever.
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
    ///   - limit: the maximum number of openings of one kind (file or remote) at the same time. Openings beyond the limit wait for a thread. The
    ///     owner of an item that is no longer needed raises the item's interrupt, so that its opening ends soon.
    ///   - makeThread: the function that makes a thread. In tests the function can fail.
    init(limit: Int = 4, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.limit = max(1, limit)
        self.makeThread = makeThread
    }

    /// The number of openings that wait for a thread.
    var waitingCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Runs an opening, at once or after another opening has ended. Refuses the opening if no thread can be made and no other opening of its kind
    /// runs. Any thread may call `run`.
    func run(_ opening: Opening) {
        let refused = state.withLock { state -> [(Opening, PlaybackError)] in
            guard !state.isStopped else { return [] }
            var lane = state.lanes[opening.kind, default: Lane()]
            defer { state.lanes[opening.kind] = lane }
            // Waiting openings whose items are no longer needed are refused, so that the list of waiting openings does not grow.
            var refused = lane.waiting.filter(\.interrupt.isRaised).map { ($0, PlaybackError(.cancelled, "The operation was cancelled.")) }
            lane.waiting.removeAll(where: \.interrupt.isRaised)
            guard lane.threads.count < limit else {
                lane.waiting.append(opening)
                return refused
            }
            state.lastThread += 1
            let number = state.lastThread
            do throws(SystemError) {
                // The thread is recorded before it can end, because a thread needs the lock of `state` to end.
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

    /// Returns the opening of a kind that has waited longest; nil if no opening waits. If the result is nil, the calling thread has been removed from
    /// the list of threads and detached, and has to end.
    private func next(_ kind: Opening.Kind, _ number: Int) -> Opening? {
        // The removed thread object is released after the lock was released.
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

    /// Discards the waiting openings, and returns after the running openings have ended. After `stop`, no medium is opened. `stop` is idempotent. An
    /// opening thread must not call `stop`.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            defer { state.lanes = [:] }
            return state.lanes.values.flatMap(\.threads.values)
        }
        for thread in running { thread.join() }
    }
}
