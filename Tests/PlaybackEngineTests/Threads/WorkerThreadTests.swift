import PlaybackEngine
import Synchronization
import Testing

@Suite("Worker threads and wake signals")
struct WorkerThreadTests {
    @Test("join returns after the body has run, and at once when called again")
    func joinWaits() {
        let ran = Atomic(0)
        let thread = WorkerThread(name: "join") { ran.add(1, ordering: .relaxed) }
        thread.join()
        #expect(ran.load(ordering: .relaxed) == 1)
        thread.join()
        #expect(ran.load(ordering: .relaxed) == 1)
    }

    @Test("the body is released after the thread has ended")
    func bodyIsReleased() {
        final class Token: Sendable {}
        weak var seen: Token?
        do {
            let token = Token()
            seen = token
            let thread = WorkerThread(name: "a name longer than fifteen bytes") { withExtendedLifetime(token) {} }
            thread.join()
        }
        #expect(seen == nil)
    }

    @Test("if the system cannot create a thread, an error is thrown and the body is released")
    func noThread() {
        final class Token: Sendable {}
        weak var seen: Token?
        do {
            let token = Token()
            seen = token
            let error = #expect(throws: PlaybackError.self) {
                // No machine has this much address space for a stack.
                _ = try WorkerThread(starting: "huge", stackSize: 1 << 60) { withExtendedLifetime(token) {} }
            }
            #expect(error?.code == .busy)
            #expect(error?.underlying?.domain == "POSIX")
        }
        #expect(seen == nil)
    }

    @Test("a place is free after everything that holds it was released, including its thread")
    func places() throws {
        let pool = PlacePool(limit: 2), release = WakeSignal()
        func begin() throws -> WorkerThread {
            let place = try #require(pool.take())
            return try WorkerThread(starting: "held") {
                release.wait()
                withExtendedLifetime(place) {}
            }
        }
        var other = pool.take()
        let thread = try begin()
        #expect(other != nil && pool.take() == nil && pool.takenCount == 2)
        other = nil
        #expect(pool.takenCount == 1)
        release.raise()
        thread.join()
        #expect(pool.takenCount == 0)
    }

    @Test("many raises wake once")
    func raiseCollapses() {
        let signal = WakeSignal()
        for _ in 0..<1_000 { signal.raise() }
        signal.wait()
        #expect(!signal.wait(until: MonotonicClock().now))
        signal.raise()
        #expect(signal.wait(until: MonotonicClock().now + 60))
    }

    @Test("a deadline in the past returns at once, even before the clock's origin")
    func pastDeadline() {
        let signal = WakeSignal()
        #expect(!signal.wait(until: HostTime(nanoseconds: Int64.min)))
        #expect(!signal.wait(until: HostTime(nanoseconds: 0)))
        signal.raise()
        #expect(signal.wait(until: HostTime(nanoseconds: 0)))
    }

    @Test("with several threads, no raise is lost and all work before a raise is visible")
    func raisesAreNotLost() {
        let signal = WakeSignal()
        let work = Atomic(0)
        let done = Atomic(0)
        let each = 20_000
        let raisers = (0..<3).map { _ in
            WorkerThread(name: "raiser") {
                for _ in 0..<each {
                    work.add(1, ordering: .relaxed)
                    signal.raise()
                }
            }
        }
        // The waiter ends only after it has seen all the work. If a raise were lost, the wait would end at the deadline and the test would fail.
        let deadline = MonotonicClock().now + 60
        while done.load(ordering: .relaxed) < 3 * each, signal.wait(until: deadline) {
            done.store(work.load(ordering: .relaxed), ordering: .relaxed)
        }
        for raiser in raisers { raiser.join() }
        #expect(done.load(ordering: .relaxed) == 3 * each)
    }
}
