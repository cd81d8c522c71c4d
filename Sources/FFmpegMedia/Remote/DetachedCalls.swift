import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// Calls of one kind that cannot be interrupted. Each runs on its own thread, so that waiting for it can be interrupted.
///
/// The number of calls at once is limited. An abandoned call continues alone and keeps its slot until its thread ends. A caller without a free slot
/// waits for one, within its patience. So a few calls that hang do not stop later ones, and any number of them costs no more threads.
final class DetachedCalls: Sendable {
    /// The state of a call between the two threads.
    private enum State<Value: Sendable> {
        case running
        case done(Value)
        /// The caller no longer waits.
        case abandoned
    }
    /// The state, shared by the two threads.
    private final class Box<Value: Sendable>: Sendable {
        let state = Mutex(State<Value>.running)
    }
    /// The time after which a caller gives up.
    private struct Patience {
        private let clock = MonotonicClock()
        private let interrupt: Interrupt
        private let deadline: HostTime
        /// The next wait, in milliseconds. Most calls return at once, so the first waits are short.
        private var wait: Int32 = 1

        init(_ seconds: Double, interrupt: Interrupt) {
            self.interrupt = interrupt
            deadline = clock.now + seconds
        }

        var isOver: Bool { interrupt.isRaised || clock.now >= deadline }
        /// Returns the reason for giving up: `late`, unless the interrupt was raised.
        func failure(_ late: PlaybackError) -> PlaybackError { interrupt.isRaised ? .cancelled : late }
        mutating func pass() {
            poll(nil, 0, wait)
            wait = min(50, wait * 2)
        }
        /// Begins with short waits again.
        mutating func startAnew() { wait = 1 }
    }

    private let name: String
    private let slots: SlotPool
    private let crowded: PlaybackError
    private let makeThread: WorkerThread.Maker

    /// - Parameters:
    ///   - name: The name of the threads.
    ///   - limit: The most calls at once.
    ///   - crowded: A sentence for a caller that found no slot in time.
    ///   - makeThread: Makes a thread; in tests, fails to.
    init(_ name: String, limit: Int, crowded: String, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.name = name
        self.crowded = PlaybackError(.busy, crowded)
        self.makeThread = makeThread
        slots = SlotPool(limit: limit)
    }

    /// Number of calls whose threads have not ended.
    var count: Int { slots.takenCount }

    /// Returns what `call` returns. Blocks until then, until `interrupt` is raised, or until `patience` seconds have passed, including the wait for a
    /// slot.
    ///
    /// An abandoned call continues alone, and `discard` receives its result. Errors: `cancelled`, `late`, and `busy` if there was no slot or no
    /// thread for it.
    func run<Value: Sendable>(
        interrupt: Interrupt, patience: Double, late: PlaybackError, discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> Value {
        var patience = Patience(patience, interrupt: interrupt)
        let box = Box<Value>()
        let worker = try begin(box, &patience, discard, call)
        // Short waits, because the call itself may return at once.
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
            // The thread detaches itself when this reference to it is released.
            if isOver { throw patience.failure(late) }
            patience.pass()
        }
    }

    /// Takes a slot and makes the call's thread, which alone holds the slot from then on.
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
