import Platform
import Synchronization

/// Runs opens, each on a thread of its own, so that a server that is slow to answer delays nothing but its own item. A thread lasts as long as there are
/// opens for it.
///
/// Files and media of other machines have places of their own: servers that do not answer keep no file from being opened. An open that finds no free place
/// waits for one; it is dropped when its item is left. A place is free when its thread takes no further open, so an open that hangs keeps it.
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
    ///   - limit: opens of one kind at once; more wait for one to end. Whoever drops an item raises its interrupt, so that it ends soon.
    ///   - makeThread: makes a thread; in tests, fails to.
    init(limit: Int = 4, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.limit = max(1, limit)
        self.makeThread = makeThread
    }

    /// Opens for which there is no room yet.
    var waitingCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Runs an open as soon as there is room; one for which no thread can be made, and none of its kind runs, is refused at once. Any thread.
    func run(_ opening: Opening) {
        let refused = state.withLock { state -> [(Opening, PlaybackError)] in
            guard !state.isStopped else { return [] }
            var lane = state.lanes[opening.kind, default: Lane()]
            defer { state.lanes[opening.kind] = lane }
            // Those that were left while they waited: no more wait than are wanted.
            var refused = lane.waiting.filter(\.interrupt.isRaised).map { ($0, PlaybackError(.cancelled, "The operation was cancelled.")) }
            lane.waiting.removeAll(where: \.interrupt.isRaised)
            guard lane.threads.count < limit else {
                lane.waiting.append(opening)
                return refused
            }
            state.lastThread += 1
            let number = state.lastThread
            do throws(SystemError) {
                // It is noted before it can end: its end takes the lock.
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

    /// The open that has waited longest; nil where the thread is to end, which is then forgotten: it detaches itself.
    private func next(_ kind: Opening.Kind, _ number: Int) -> Opening? {
        // Dropped after the lock.
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

    /// Drops what waits and returns when what runs has ended; nothing is run any more. Idempotent; called from none of its threads.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            defer { state.lanes = [:] }
            return state.lanes.values.flatMap(\.threads.values)
        }
        for thread in running { thread.join() }
    }
}
