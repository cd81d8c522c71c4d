import Platform
import Synchronization
import Testing

@Suite("Worker threads")
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
            let error = #expect(throws: SystemError.self) {
                // The thread cannot be created, because no machine has 2⁶⁰ bytes of address space for a stack.
                _ = try WorkerThread(starting: "huge", stackSize: 1 << 60) { withExtendedLifetime(token) {} }
            }
            #expect(error?.operation == "pthread_create")
        }
        #expect(seen == nil)
    }
}
