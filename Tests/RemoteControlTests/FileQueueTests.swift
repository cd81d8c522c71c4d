import Dispatch
import Testing

@testable import RemoteControl

@Suite struct FileQueueTests {
    @Test("what would wait behind too many others is refused, with a time to try again; then there is room again")
    func limit() async throws {
        let queue = FileQueue("test", limit: 1)
        let gate = DispatchSemaphore(value: 0)
        let started = AsyncStream<Void>.makeStream()
        async let hanging = queue.run { () throws(Problem) -> Int in
            started.continuation.yield()
            gate.wait()
            return 1
        }
        var first = started.stream.makeAsyncIterator()
        await first.next()
        do throws(Problem) {
            let number = try await queue.run { () throws(Problem) -> Int in 2 }
            Issue.record("it ran: \(number)")
        } catch {
            #expect(error.code == .tooManyRequests)
            #expect(error.response.headers.contains { $0 == ("Retry-After", "1") })
        }
        gate.signal()
        #expect(try await hanging == 1)
        #expect(try await queue.run { () throws(Problem) -> Int in 3 } == 3)
    }
}
