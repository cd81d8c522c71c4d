import Platform
import Synchronization

/// Opens media, each on a thread of its own, so that a slow server delays only its own item. Files and remote media have separate limits (`Lane`). An
/// opening beyond the limit waits, or is discarded if its item is no longer needed. An opening that never returns occupies its thread forever.
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
    ///   - limit: The greatest number of openings of one kind at the same time.
    ///   - makeThread: The function that makes threads, which can fail in tests.
    init(limit: Int = 4, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.limit = max(1, limit)
        self.makeThread = makeThread
    }

    var waitingCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Runs an opening at once, or after another has ended. Refuses it if no thread can be made and no other of its kind runs. May be called
    /// on any thread.
    func run(_ opening: Opening) {
        let refused = state.withLock { state -> [(Opening, PlaybackError)] in
            guard !state.isStopped else { return [] }
            var lane = state.lanes[opening.kind, default: Lane()]
            defer { state.lanes[opening.kind] = lane }
            // Openings that are no longer needed are removed, so that the list does not grow.
            var refused = lane.waiting.filter(\.interrupt.isRaised).map { ($0, PlaybackError(.cancelled, "The operation was cancelled.")) }
            lane.waiting.removeAll(where: \.interrupt.isRaised)
            guard lane.threads.count < limit else {
                lane.waiting.append(opening)
                return refused
            }
            state.lastThread += 1
            let number = state.lastThread
            do throws(SystemError) {
                // The lock is held here, so the new thread is stored before it can remove itself (`next`).
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

    /// Takes the opening that has waited longest. Returns nil if none waits: the calling thread has then been removed and detached, and has to end.
    private func next(_ kind: Opening.Kind, _ number: Int) -> Opening? {
        // The thread object is released after the lock is released.
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

    /// Discards the waiting openings, and returns after the running ones have ended. May be called repeatedly, but not on an opening thread.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            defer { state.lanes = [:] }
            return state.lanes.values.flatMap(\.threads.values)
        }
        for thread in running { thread.join() }
    }
}
