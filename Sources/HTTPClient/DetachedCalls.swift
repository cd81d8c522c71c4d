import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// Runs calls of one kind that cannot be interrupted, such as look-ups of names. Each detached call runs on its own thread, so that the wait for its
/// result can be interrupted.
///
/// The number of simultaneous detached calls is limited. A detached call whose caller no longer waits (an abandoned call) continues alone, and keeps
/// its slot (one of the permitted calls) until its thread ends. If no slot is free for a detached call, the caller waits for a slot, for a limited
/// time. Because of the slots, a few calls that never return do not stop later calls, and many calls that never return do not need more threads than
/// the limit.
final class DetachedCalls: Sendable {
    /// The state of a detached call, shared by its thread and the caller's thread.
    private enum State<Value: Sendable> {
        case running
        case done(Value)
        /// The caller no longer waits for the result of the detached call.
        case abandoned
    }
    /// The storage of a detached call's state, which the call's thread and the caller's thread share.
    private final class Box<Value: Sendable>: Sendable {
        let state = Mutex(State<Value>.running)
    }
    /// The time after which the caller of a detached call stops waiting.
    private struct Patience {
        private let clock = MonotonicClock()
        private let interrupt: Interrupt
        private let deadline: HostTime
        /// The duration of the next wait for the result of a detached call, in milliseconds. Most detached calls return at once, so the caller's
        /// first waits are short.
        private var wait: Int32 = 1

        init(_ seconds: Double, interrupt: Interrupt) {
            self.interrupt = interrupt
            deadline = clock.now + seconds
        }

        var isOver: Bool { interrupt.isRaised || clock.now >= deadline }
        /// Returns the reason why the caller of a detached call stops waiting: the error `late`, or `cancelled` if the interrupt was raised.
        func failure(_ late: PlaybackError) -> PlaybackError { interrupt.isRaised ? .cancelled : late }
        mutating func pass() {
            poll(nil, 0, wait)
            wait = min(50, wait * 2)
        }
        /// Makes the next waits for the result of a detached call short again.
        mutating func startAnew() { wait = 1 }
    }

    private let name: String
    private let slots: SlotPool
    private let crowded: PlaybackError
    private let makeThread: WorkerThread.Maker

    /// - Parameters:
    ///   - name: The name of the threads on which the calls run.
    ///   - limit: The maximum number of simultaneous detached calls.
    ///   - crowded: The message of the error for a caller that did not get a slot for its call in time.
    ///   - makeThread: The function that makes a thread for a call; in tests, this function may fail.
    init(_ name: String, limit: Int, crowded: String, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.name = name
        self.crowded = PlaybackError(.busy, crowded)
        self.makeThread = makeThread
        slots = SlotPool(limit: limit)
    }

    /// The number of detached calls whose threads have not ended.
    var count: Int { slots.takenCount }

    /// Returns the result of the function `call`, which runs on a thread of its own. Blocks until `call` has returned, until `interrupt` is raised,
    /// or until `patience` seconds have passed. The wait for a slot counts towards `patience` too.
    ///
    /// A detached call whose caller no longer waits (an abandoned call) continues alone, and `discard` receives its result. Errors of `run`:
    /// `cancelled`; the error `late` after the time limit; `busy` if there was no slot or no thread for the call.
    func run<Value: Sendable>(
        interrupt: Interrupt, patience: Double, late: PlaybackError, discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> Value {
        var patience = Patience(patience, interrupt: interrupt)
        let box = Box<Value>()
        let worker = try begin(box, &patience, discard, call)
        // After the wait for a slot, the waits for the call's result are short again, because the call itself may return at once.
        patience.startAnew()
        while true {
            let isOver = patience.isOver
            let value: Value? = box.state.withLock { state in
                if case .done(let value) = state { return value }
                if isOver { state = .abandoned }
                return nil
            }
            if let value {
                worker.join()
                return value
            }
            // The thread of a detached call detaches itself when the caller's reference to it is released.
            if isOver { throw patience.failure(late) }
            patience.pass()
        }
    }

    /// Takes a slot and makes the thread of a detached call. After the thread of a detached call was made, only this thread holds the call's slot.
    private func begin<Value: Sendable>(
        _ box: Box<Value>, _ patience: inout Patience, _ discard: @escaping @Sendable (Value) -> Void, _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> WorkerThread {
        while true {
            if let slot = slots.take() {
                do throws(SystemError) {
                    return try makeThread(name) {
                        let value = call()
                        let isWanted = box.state.withLock { state in
                            if case .abandoned = state { return false }
                            state = .done(value)
                            return true
                        }
                        if !isWanted { discard(value) }
                        withExtendedLifetime(slot) {}
                    }
                } catch {
                    throw .noThread(error)
                }
            }
            if patience.isOver { throw patience.failure(crowded) }
            patience.pass()
        }
    }
}
