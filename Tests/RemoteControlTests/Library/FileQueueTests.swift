import Dispatch
import Testing

@testable import RemoteControl

@Suite struct FileQueueTests {
    @Test("work beyond the limit of the queue is refused with a time for a retry, and accepted again afterwards")
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

    @Test("a client that has used its share is refused, and other clients are not")
    func share() async throws {
        let queue = FileQueue("test", limit: 3, share: 1)
        let gate = DispatchSemaphore(value: 0)
        let started = AsyncStream<Void>.makeStream()
        async let hanging = queue.run(for: "10.0.0.1") { () throws(Problem) -> Int in
            started.continuation.yield()
            gate.wait()
            return 1
        }
        var first = started.stream.makeAsyncIterator()
        await first.next()
        let problem = await #expect(throws: Problem.self) { try await queue.run(for: "10.0.0.1") { () throws(Problem) -> Int in 2 } }
        #expect(problem?.code == .tooManyRequests)
        async let other = queue.run(for: "10.0.0.2") { () throws(Problem) -> Int in 3 }
        gate.signal()
        #expect(try await hanging == 1)
        #expect(try await other == 3)
        #expect(try await queue.run(for: "10.0.0.1") { () throws(Problem) -> Int in 4 } == 4)
    }
}
