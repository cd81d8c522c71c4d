import Platform
import Synchronization
import Testing

@Suite("Wake signals")
struct WakeSignalTests {
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
        // The waiting thread ends only after it has seen all work items. If a call of `raise` were lost, the wait would end at the deadline, and the
        // test would fail.
        let deadline = MonotonicClock().now + 60
        while done.load(ordering: .relaxed) < 3 * each, signal.wait(until: deadline) {
            done.store(work.load(ordering: .relaxed), ordering: .relaxed)
        }
        for raiser in raisers { raiser.join() }
        #expect(done.load(ordering: .relaxed) == 3 * each)
    }
}
