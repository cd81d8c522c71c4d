import Glibc
import PlaybackEngine
import Synchronization

/// Calls of one kind that cannot be interrupted, each made on a thread of its own so that whoever waits for it can be.
///
/// There are so many at once and no more: a call that is given up goes on alone and keeps its place until its thread ends. Whoever finds no free place waits
/// for one, within its patience; so a few calls that hang hold up no later one that could be answered after them, and any number of them cost no more threads.
final class DetachedCalls: Sendable {
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
    /// When whoever waits gives up.
    private struct Patience {
        private let clock = MonotonicClock()
        private let interrupt: Interrupt
        private let deadline: HostTime
        /// Milliseconds. Most calls return at once: short waits first.
        private var wait: Int32 = 1

        init(_ seconds: Double, interrupt: Interrupt) {
            self.interrupt = interrupt
            deadline = clock.now + seconds
        }

        var isOver: Bool { interrupt.isRaised || clock.now >= deadline }
        /// Why it is over: `late` unless it was interrupted.
        func failure(_ late: PlaybackError) -> PlaybackError { interrupt.isRaised ? .cancelled : late }
        mutating func pass() {
            poll(nil, 0, wait)
            wait = min(50, wait * 2)
        }
        /// With short waits again.
        mutating func startAnew() { wait = 1 }
    }

    private let name: String
    private let places: PlacePool
    private let crowded: PlaybackError
    private let makeThread: WorkerThread.Maker

    /// - Parameters:
    ///   - name: of the threads.
    ///   - limit: how many calls at once.
    ///   - crowded: a sentence for who found no place in time.
    ///   - makeThread: makes a thread; in tests, fails to.
    init(_ name: String, limit: Int, crowded: String, makeThread: @escaping WorkerThread.Maker = WorkerThread.make) {
        self.name = name
        self.crowded = PlaybackError(.busy, crowded)
        self.makeThread = makeThread
        places = PlacePool(limit: limit)
    }

    /// Calls whose threads have not ended.
    var count: Int { places.takenCount }

    /// What `call` returns. Blocks until it has, `interrupt` is raised, or `patience` seconds have passed, in which it also waits for a place.
    ///
    /// A call that is given up goes on alone; `discard` gets what it returns in the end. Errors: `cancelled`, `late`, and `busy` where there was no place or
    /// no thread for it.
    func run<Value: Sendable>(
        interrupt: Interrupt, patience: Double, late: PlaybackError, discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> Value {
        var patience = Patience(patience, interrupt: interrupt)
        let box = Box<Value>()
        let worker = try begin(box, &patience, discard, call)
        // The call itself may return at once.
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
            // The thread detaches itself when this reference to it goes.
            if isOver { throw patience.failure(late) }
            patience.pass()
        }
    }

    /// Takes a place and makes the call's thread, which alone holds the place from then on.
    private func begin<Value: Sendable>(
        _ box: Box<Value>, _ patience: inout Patience, _ discard: @escaping @Sendable (Value) -> Void, _ call: @escaping @Sendable () -> Value
    ) throws(PlaybackError) -> WorkerThread {
        while true {
            if let place = places.take() {
                return try makeThread(name) {
                    let value = call()
                    let isWanted = box.state.withLock { state in
                        if case .abandoned = state { return false }
                        state = .done(value)
                        return true
                    }
                    if !isWanted { discard(value) }
                    withExtendedLifetime(place) {}
                }
            }
            if patience.isOver { throw patience.failure(crowded) }
            patience.pass()
        }
    }
}
