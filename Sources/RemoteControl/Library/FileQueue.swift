import Dispatch

/// Where file-system calls are made: a disk that sleeps or a network share that hangs holds up other file requests, and nothing else.
public final class FileQueue: Sendable {
    private let queue = DispatchQueue(label: "tonearm.files")

    public init() {}

    /// Runs `work`, which may block, and returns what it gives.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws(Problem) -> Value) async throws(Problem) -> Value {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Problem>, Never>) in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
