import CoreMedia
import Dispatch
import Synchronization

/// The calls of a time observer's block, on the observer's queue: never concurrent, never with a backlog, never after the removal of the observer.
///
/// On the main queue, the block is called in the turn of the main actor in which the position changed. On another queue, at most one call of the
/// block is pending (R-PTO-09). If the position changes while a call is pending or running, only the newest time is kept, for the next call.
final class TimeObserverCall: Sendable {
    private struct State {
        var isRemoved = false
        /// Whether a call of the observer's block is enqueued or running.
        var isBusy = false
        /// The newest time that has not been delivered to the observer; nil if every time was delivered.
        var newest: CMTime?
    }
    private let state = Mutex(State())
    private let queue: DispatchQueue?
    private let block: @Sendable (CMTime) -> Void

    /// - Parameter queue: The queue on which the block is called; nil means the main queue (R-PTO-04). On the main queue, the calls of the block are
    ///   ordered with all other notifications of the player.
    init(queue: DispatchQueue?, block: @escaping @Sendable (CMTime) -> Void) {
        self.queue = queue.flatMap { MainQueue.isMain($0) ? nil : $0 }
        self.block = block
    }

    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// Removes the time observer: no further call of its block starts, not even an enqueued call (R-RTO-01, R-RTO-04). The removal does not wait for
    /// a running call of the block, so the block itself may remove its observer (R-RTO-05).
    func remove() { state.withLock { $0.isRemoved = true } }

    @MainActor func deliver(_ time: CMTime) {
        guard let queue else {
            MainTurn.enqueue { [self] in
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

/// The token that `addPeriodicTimeObserver` and `addBoundaryTimeObserver` return. If a program releases the token without a call of
/// `removeTimeObserver`, the observation ends (R-PTO-05). Apple leaves the result of such a release undefined.
final class TimeObserverToken: Sendable {
    let call: TimeObserverCall
    init(call: TimeObserverCall) { self.call = call }
    deinit { call.remove() }
}
