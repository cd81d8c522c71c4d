import Platform
import PlaybackEngine
import Synchronization
import Testing

@Suite("Interrupts")
struct InterruptTests {
    @Test("an interrupt ends the wait of each thread for a far time")
    func raised() {
        let interrupt = Interrupt(), far = MonotonicClock().now + 3600, results = Mutex<[Bool]>([])
        let threads = (0..<3).map { _ in
            WorkerThread(name: "waiting") {
                let isReached = interrupt.wait(until: far)
                results.withLock { $0.append(isReached) }
            }
        }
        interrupt.raise()
        for thread in threads { thread.join() }
        #expect(results.withLock { $0.map { $0 } } == [false, false, false])
    }

    @Test("a wait ends at its time, and a raised interrupt permits none")
    func reached() {
        let interrupt = Interrupt(), now = MonotonicClock().now
        #expect(interrupt.wait(until: now))
        interrupt.raise()
        #expect(!interrupt.wait(until: now + 3600))
    }
}
