import Platform
import Synchronization

/// The commands that wait until their changes are written to the database. Any thread may use an `Acknowledgements`.
///
/// Changes are numbered in the order in which they arrive. After one wait has taken too long, commands do not wait at all until a write ends. A disk
/// that does not respond therefore delays a few commands once, and not every later command.
final class Acknowledgements: Sendable {
    /// The maximum duration of a wait, in seconds. After this time a wait ends although the write has not ended.
    static let patience = 0.5

    private struct State {
        /// The number of the newest change that was recorded.
        var newest: UInt64 = 0
        /// The number of the newest change whose write has ended.
        var ended: UInt64 = 0
        /// The host time from which the duration of the present write is measured: the arrival of the oldest change that is not written, or the end
        /// of the preceding write if that was later. Nil if all changes are written.
        var since: HostTime?
        var isLate = false
        var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Records a new change.
    func add(at now: HostTime) {
        state.withLock { state in
            state.newest += 1
            if state.since == nil { state.since = now }
        }
    }

    /// The number of the newest change that was recorded.
    var newest: UInt64 { state.withLock { $0.newest } }

    /// Returns after the writes of all changes so far have ended, or after `endLongWaits` has ended the wait.
    func wait() async {
        guard state.withLock({ $0.ended < $0.newest && !$0.isLate }) else { return }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.ended < state.newest, !state.isLate else { return false }
                state.waiters.append((state.newest, continuation))
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Records that the writes of all changes up to change `number` have ended, and resumes the commands that wait for these writes.
    func end(_ number: UInt64, at now: HostTime) {
        let due = state.withLock { state in
            state.ended = max(state.ended, number)
            state.since = state.ended < state.newest ? now : nil
            state.isLate = false
            defer { state.waiters.removeAll { $0.number <= state.ended } }
            return state.waiters.filter { $0.number <= state.ended }
        }
        for waiter in due { waiter.continuation.resume() }
    }

    /// The result of a check for long waits. `idle`: no change has to be written. `waiting`: a write is in progress. `becameLate`: the check has
    /// ended all waits. `late`: an earlier check has ended all waits.
    enum Check { case idle, waiting, becameLate, late }

    /// Ends all waits if the present write has taken at least `patience` seconds.
    func endLongWaits(at now: HostTime) -> Check {
        let (result, due) = state.withLock { state -> (Check, [CheckedContinuation<Void, Never>]) in
            guard let since = state.since else { return (.idle, []) }
            guard !state.isLate else { return (.late, []) }
            guard now - since >= Self.patience else { return (.waiting, []) }
            state.isLate = true
            defer { state.waiters = [] }
            return (.becameLate, state.waiters.map(\.continuation))
        }
        for continuation in due { continuation.resume() }
        return result
    }
}
