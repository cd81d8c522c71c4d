import Dispatch
import Synchronization

/// Where file-system calls of one kind are made: a disk that sleeps or a network share that hangs holds up calls of that kind, and nothing else. What
/// would have to wait behind too many others is refused.
final class FileQueue: Sendable {
    private let queue: DispatchQueue
    private let limit: Int
    private let pending = Atomic<Int>(0)

    /// - Parameter limit: how many calls may be under way or wait.
    init(_ name: String, limit: Int) {
        queue = DispatchQueue(label: "tonearm.files." + name)
        self.limit = limit
    }

    /// Runs `work`, which may block, and returns what it gives; `too-many-requests` where too much waits already.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws(Problem) -> Value) async throws(Problem) -> Value {
        defer { pending.subtract(1, ordering: .relaxed) }
        guard pending.add(1, ordering: .relaxed).newValue <= limit else {
            var problem = Problem(.tooManyRequests, "Too many requests wait for this machine's disks.")
            problem.retryAfter = 1
            throw problem
        }
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Problem>, Never>) in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
