import Glibc
import PlaybackEngine
import Synchronization

/// A call that cannot be interrupted, made on a thread of its own so that whoever waits for it can.
enum DetachedCall {
    /// What is on its way between the two threads.
    private enum State<Value: Sendable> {
        case running
        case done(Value)
        /// Nobody waits any more.
        case abandoned
    }
    /// Shared by the two threads.
    private final class Box<Value: Sendable>: Sendable {
        let state = Mutex(State<Value>.running)
    }

    /// What `call` returns. Blocks until it has, `interrupt` is raised, or `patience` seconds have passed.
    ///
    /// A call that is given up goes on alone; `discard` gets what it returns in the end.
    static func run<Value: Sendable>(
        _ name: String, interrupt: Interrupt, patience: Double, late: PlaybackError, discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> Value {
        let box = Box<Value>()
        // The thread detaches itself when this reference goes.
        let worker = WorkerThread(name: name) {
            let value = call()
            let isWanted = box.state.withLock { state in
                if case .abandoned = state { return false }
                state = .done(value)
                return true
            }
            if !isWanted { discard(value) }
        }
        let clock = MonotonicClock()
        let deadline = clock.now + patience
        // Most calls return at once: short waits first.
        var wait: Int32 = 1
        while true {
            let isOver = interrupt.isRaised || clock.now >= deadline
            let value: Value? = box.state.withLock { state in
                if case .done(let value) = state { return value }
                if isOver { state = .abandoned }
                return nil
            }
            if let value {
                worker.join()
                return value
            }
            if isOver { throw interrupt.isRaised ? PlaybackError.cancelled : late }
            poll(nil, 0, wait)
            wait = min(50, wait * 2)
        }
    }
}
