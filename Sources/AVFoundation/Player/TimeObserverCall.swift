import CoreMedia
import Dispatch
import Synchronization

/// The calls of a time observer's block: never concurrent, without backlog, never after its removal. If the main queue changes the position and the
/// block belongs there, it is called at the end of the turn. Otherwise at most one call is pending, and only the newest time is kept (R-PTO-09).
final class TimeObserverCall: Sendable {
    private struct State {
        var isRemoved = false
        /// Whether a call is enqueued or running.
        var isBusy = false
        /// The newest time that is not delivered yet.
        var newest: CMTime?
    }
    private let state = Mutex(State())
    private let queue: DispatchQueue?
    private let block: @Sendable (CMTime) -> Void

    /// - Parameter queue: Nil for the main queue (R-PTO-04), where calls are ordered with all other notifications of the player.
    init(queue: DispatchQueue?, block: @escaping @Sendable (CMTime) -> Void) {
        self.queue = queue.flatMap { MainQueue.isMain($0) ? nil : $0 }
        self.block = block
    }

    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// Removes the observer: no further call starts, not even an enqueued one (R-RTO-01, R-RTO-04), apart from one that another thread is just about
    /// to start. Does not wait, so the block may call it (R-RTO-05).
    func remove() { state.withLock { $0.isRemoved = true } }

    @Turn func deliver(_ time: CMTime) {
        guard let queue else { return deliverOnMain(time) }
        let isIdle = state.withLock { state in
            state.newest = time
            defer { state.isBusy = true }
            return !state.isBusy && !state.isRemoved
        }
        if isIdle { enqueue(on: queue) }
    }

    @Turn private func deliverOnMain(_ time: CMTime) {
        // Calls of turns on main are not coalesced, but a call that waits for main gives the newest time, so that no older one follows it.
        let isOnMain = Turn.isOnMain
        let isPending = state.withLock { state in
            let isPending = state.newest != nil
            if isPending || !isOnMain { state.newest = time }
            return isPending
        }
        guard !isPending else { return }
        Turn.enqueueOnMain { [self] in
            if isOnMain {
                if !isRemoved { block(time) }
            } else if let time = takeNewest() {
                block(time)
            }
        }
    }

    /// Returns the time of the next call; nil if the observer was removed.
    private func takeNewest() -> CMTime? {
        state.withLock { state -> CMTime? in
            defer { state.newest = nil }
            return state.isRemoved ? nil : state.newest
        }
    }

    private func enqueue(on queue: DispatchQueue) {
        queue.async { [self] in
            if let time = takeNewest() { block(time) }
            let again = state.withLock { state in
                state.isBusy = state.newest != nil && !state.isRemoved
                return state.isBusy
            }
            if again { enqueue(on: queue) }
        }
    }
}

/// The token of a time observer. Its release ends the observation (R-PTO-05), which Apple leaves undefined.
final class TimeObserverToken: Sendable {
    let call: TimeObserverCall
    init(call: TimeObserverCall) { self.call = call }
    deinit { call.remove() }
}
