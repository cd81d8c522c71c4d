import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// Calls of one kind that cannot be interrupted. Each call runs on its own thread, so that the wait for its result can be interrupted.
///
/// The number of simultaneous calls is limited. A call whose caller no longer waits (an abandoned call) continues alone, and keeps its slot (one of
/// the permitted calls) until its thread ends. If no slot is free, a caller waits for one, for a limited time. So a few calls that do not return do
/// not stop later calls, and many of them do not need more threads.
final class DetachedCalls: Sendable {
    /// The state of a call, shared by its thread and the caller's thread.
    private enum State<Value: Sendable> {
        case running
        case done(Value)
        /// The caller no longer waits for the result.
        case abandoned
    }
    /// The storage of the state, which the two threads share.
    private final class Box<Value: Sendable>: Sendable {
        let state = Mutex(State<Value>.running)
    }
    /// The time after which a caller stops waiting.
    private struct Patience {
        private let clock = MonotonicClock()
        private let interrupt: Interrupt
        private let deadline: HostTime
        /// The duration of the next wait, in milliseconds. Most calls return at once, so the first waits are short.
        private var wait: Int32 = 1

        init(_ seconds: Double, interrupt: Interrupt) {
            self.interrupt = interrupt
            deadline = clock.now + seconds
        }

        var isOver: Bool { interrupt.isRaised || clock.now >= deadline }
        /// Returns the reason why the caller stops waiting: `late`, or `cancelled` if the interrupt was raised.
        func failure(_ late: PlaybackError) -> PlaybackError { interrupt.isRaised ? .cancelled : late }
        mutating func pass() {
            poll(nil, 0, wait)
            wait = min(50, wait * 2)
        }
        /// Makes the next waits short again.
        mutating func startAnew() { wait = 1 }
    }

    private let name: String
    private let slots: SlotPool
    private let crowded: PlaybackError
    private let makeThread: WorkerThread.Maker

    /// - Parameters:
    ///   - name: The name of the threads.
    ///   - limit: The maximum number of simultaneous calls.
    ///   - crowded: The message of the error for a caller that did not get a slot in time.
    ///   - makeThread: The function that makes a thread; in tests, it may fail.
    init(_ name: String, limit: Int, crowded: String, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.name = name
        self.crowded = PlaybackError(.busy, crowded)
        self.makeThread = makeThread
        slots = SlotPool(limit: limit)
    }

    /// The number of calls whose threads have not ended.
    var count: Int { slots.takenCount }

    /// Returns the result of `call`. Blocks until the result is there, until `interrupt` is raised, or until `patience` seconds have passed,
    /// including the wait for a slot.
    ///
    /// An abandoned call continues alone, and `discard` receives its result. Errors: `cancelled`, `late`, and `busy` if there was no slot or no
    /// thread for the call.
    func run<Value: Sendable>(
        interrupt: Interrupt, patience: Double, late: PlaybackError, discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> Value {
        var patience = Patience(patience, interrupt: interrupt)
        let box = Box<Value>()
        let worker = try begin(box, &patience, discard, call)
        // The waits are short again, because the call itself may return at once.
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
            // The thread detaches itself when the caller's reference to it is released.
            if isOver { throw patience.failure(late) }
            patience.pass()
        }
    }

    /// Takes a slot and makes the thread of the call. From then on only this thread holds the slot.
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
