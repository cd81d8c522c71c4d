import Platform
import Testing

@Suite("Slot pools")
struct SlotPoolTests {
    @Test("a slot is free after everything that holds it was released, including its thread")
    func slots() throws {
        let pool = SlotPool(limit: 2), release = WakeSignal()
        func begin() throws -> WorkerThread {
            let slot = try #require(pool.take())
            return try WorkerThread(starting: "held") {
                release.wait()
                withExtendedLifetime(slot) {}
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

    @Test("a pool has at least one slot")
    func smallest() {
        let pool = SlotPool(limit: 0), slot = pool.take()
        #expect(slot != nil)
        #expect(pool.take() == nil)
        withExtendedLifetime(slot) {}
    }
}
