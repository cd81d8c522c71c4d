import Glibc
import Synchronization
import Testing

@testable import Platform

@Suite("Background queues")
struct BackgroundQueueTests {
    @Test("work runs in order, at low priority, on a thread that exists only while there is work")
    func order() {
        let done = WakeSignal()
        let found = Mutex<[Int32]>([])
        let threads = Atomic<Int>(0)
        let queue = BackgroundQueue("test") { name, body throws(SystemError) in
            threads.add(1, ordering: .relaxed)
            return try WorkerThread(starting: name, body: body)
        }
        let gate = WakeSignal()
        queue.async { gate.wait() }
        for number in 0..<3 {
            queue.async {
                found.withLock { $0.append(Int32(number) + 100 * getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }
            }
        }
        queue.async { done.raise() }
        gate.raise()
        done.wait()
        #expect(found.withLock { $0 } == (0..<3).map { $0 + 100 * BackgroundQueue.niceness })
        #expect(threads.load(ordering: .relaxed) == 1)
        #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) < BackgroundQueue.niceness)
    }

    @Test("work for which the system refuses a thread runs with the next work")
    func refused() {
        let refusals = Atomic<Int>(1)
        let queue = BackgroundQueue("test") { name, body throws(SystemError) in
            if refusals.exchange(0, ordering: .relaxed) > 0 { throw SystemError(operation: "pthread_create", code: EAGAIN) }
            return try WorkerThread(starting: name, body: body)
        }
        let found = Mutex<[Int]>([])
        let done = WakeSignal()
        queue.async { found.withLock { $0.append(1) } }
        #expect(found.withLock { $0 } == [])
        queue.async {
            found.withLock { $0.append(2) }
            done.raise()
        }
        done.wait()
        #expect(found.withLock { $0 } == [1, 2])
    }
}
