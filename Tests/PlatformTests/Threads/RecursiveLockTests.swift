import Platform
import Synchronization
import Testing

@Suite("Recursive locks")
struct RecursiveLockTests {
    @Test("the owner may take the lock again, and holds it until the last release")
    func depth() {
        let lock = RecursiveLock()
        #expect(!lock.isHeld && lock.depth == 0)
        lock.lock()
        lock.lock()
        #expect(lock.isHeld && lock.depth == 2)
        lock.unlock()
        #expect(lock.isHeld && lock.depth == 1)
        lock.unlock()
        #expect(!lock.isHeld && lock.depth == 0)
    }

    @Test("the lock is held by one thread at a time, and another thread does not hold it")
    func exclusion() throws {
        let lock = RecursiveLock()
        // Read and written in two steps, so that the sum is smaller if two threads are inside the lock together.
        let sum = Atomic<Int>(0), othersHeld = Atomic<Int>(0)
        let threads = try (0..<4).map { _ in
            try WorkerThread(starting: "lock") {
                for _ in 0..<2_000 {
                    if lock.isHeld { othersHeld.add(1, ordering: .relaxed) }
                    lock.lock()
                    lock.lock()
                    sum.store(sum.load(ordering: .relaxed) + 1, ordering: .relaxed)
                    lock.unlock()
                    lock.unlock()
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(sum.load(ordering: .relaxed) == 8_000)
        #expect(othersHeld.load(ordering: .relaxed) == 0)
    }
}
