import CoreMedia
import Dispatch
import Synchronization

/// A block that is told the time, on its queue; never twice at once, never with a backlog, never after its removal.
///
/// On the main queue it is called inside the turn that moved the time. On another queue at most one call is waiting (R-PTO-09): while it waits or
/// runs, the newest time is kept and told next.
final class TimeObserverCall: Sendable {
    private struct State {
        var isRemoved = false
        /// A call has been enqueued or is running.
        var isBusy = false
        /// The newest time not told yet.
        var newest: CMTime?
    }
    private let state = Mutex(State())
    private let queue: DispatchQueue?
    private let block: @Sendable (CMTime) -> Void

    /// - Parameter queue: nil is the main queue (R-PTO-04), and the main queue is as nil: its calls come in the order of everything told there.
    init(queue: DispatchQueue?, block: @escaping @Sendable (CMTime) -> Void) {
        self.queue = queue.flatMap { MainQueue.isMain($0) ? nil : $0 }
        self.block = block
    }

    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// From now on no call starts, not even one that has been enqueued (R-RTO-01, R-RTO-04). Does not wait, so it is safe inside the block (R-RTO-05).
    func remove() { state.withLock { $0.isRemoved = true } }

    @MainActor func deliver(_ time: CMTime) {
        guard let queue else {
            MainTurn.tell { [self] in
                if !isRemoved { block(time) }
            }
            return
        }
        let isIdle = state.withLock { state in
            state.newest = time
            defer { state.isBusy = true }
            return !state.isBusy && !state.isRemoved
        }
        if isIdle { enqueue(on: queue) }
    }

    private func enqueue(on queue: DispatchQueue) {
        queue.async { [self] in
            let time = state.withLock { state -> CMTime? in
                defer { state.newest = nil }
                return state.isRemoved ? nil : state.newest
            }
            if let time { block(time) }
            let again = state.withLock { state in
                state.isBusy = state.newest != nil && !state.isRemoved
                return state.isBusy
            }
            if again { enqueue(on: queue) }
        }
    }
}

/// What `addPeriodicTimeObserver` returns: dropping it ends the observation, safely (R-PTO-05).
final class TimeObserverToken: Sendable {
    let call: TimeObserverCall
    init(call: TimeObserverCall) { self.call = call }
    deinit { call.remove() }
}
