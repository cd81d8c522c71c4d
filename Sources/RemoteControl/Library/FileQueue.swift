import Dispatch
import Synchronization

/// A serial queue for slow work of one kind. A sleeping disk or a hanging network share delays only the work of one queue. Work beyond the limit, and
/// beyond a client's share of it, is refused.
final class FileQueue: Sendable {
    private struct Pending {
        var count = 0
        var clients: [String: Int] = [:]
    }

    private let queue: DispatchQueue
    private let limit: Int
    private let share: Int
    private let refusal: String
    private let pending = Mutex(Pending())

    /// - Parameters:
    ///   - limit: The maximum number of calls that are under way or waiting.
    ///   - share: The number of them that may belong to one client.
    ///   - refusal: The sentence of the problem with which a call is refused.
    init(
        _ name: String, limit: Int, share: Int? = nil, refusal: String = "Too many requests are waiting for the server's disks."
    ) {
        queue = DispatchQueue(label: "tonearm.files." + name)
        self.limit = limit
        self.share = share ?? limit
        self.refusal = refusal
    }

    /// Performs work on the queue. Throws `too-many-requests` if too many calls are waiting.
    /// - Parameter client: The client whose share is used (`HTTPPeer.network`); nil for none.
    func run<Value: Sendable>(for client: String? = nil, _ work: @escaping @Sendable () throws(Problem) -> Value) async throws(Problem) -> Value {
        guard enter(client) else {
            var problem = Problem(.tooManyRequests, refusal)
            problem.retryAfter = 1
            throw problem
        }
        defer { leave(client) }
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Problem>, Never>) in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    private func enter(_ client: String?) -> Bool {
        pending.withLock { pending in
            guard pending.count < limit, client.map({ pending.clients[$0, default: 0] < share }) ?? true else { return false }
            pending.count += 1
            if let client { pending.clients[client, default: 0] += 1 }
            return true
        }
    }

    private func leave(_ client: String?) {
        pending.withLock { pending in
            pending.count -= 1
            guard let client, let count = pending.clients[client] else { return }
            pending.clients[client] = count > 1 ? count - 1 : nil
        }
    }
}
