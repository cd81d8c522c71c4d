import Synchronization

/// Limits the unread answers to one client's WebSocket commands. Commands with large answers run one at a time, after the client has read enough.
final class SocketAnswers: Sendable {
    /// The size of the unread answers from which on no further command is started, in bytes.
    static let maximumSize = 1 << 20
    /// The size of a small answer, in bytes. Smaller answers are not in the memory budget, because `maximumSize` limits them.
    private static let smallAnswer = 16 << 10

    private struct State {
        /// Whether a command that may have a large answer runs; from its `begin` to its `end`.
        var isMaking = false
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var isClosed = false
    }

    private let stream: SubscriberStream
    private let budget: MemoryBudget
    private let network: String
    private let state = Mutex(State())

    init(stream: SubscriberStream, budget: MemoryBudget, network: String) {
        self.stream = stream
        self.budget = budget
        self.network = network
    }

    /// The number of answers that wait, and their size in bytes.
    var unread: (count: Int, size: Int) { stream.pushed }

    /// Waits until a command that may have a large answer can start. True: the caller must call `end`. False: the client has disconnected.
    func begin() async -> Bool {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume(returning: false) } else { advance() }
        }
    }

    /// Ends a command that may have a large answer, after the answer has been pushed.
    func end() {
        state.withLock { $0.isMaking = false }
        advance()
    }

    func advance() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            // The size is read under the lock, so that it contains the answer of the command whose `end` has reset `isMaking`.
            guard !state.waiting.isEmpty, !state.isMaking, stream.pushed.size < Self.maximumSize else { return nil }
            state.isMaking = true
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }

    var hasShare: Bool { budget.hasShare(network) }

    /// Reserves memory for an answer; nil for a small one. `isForced`: beyond the budget, because the command has been carried out.
    func reserve(_ size: Int, isForced: Bool) throws(Problem) -> MemoryReservation? {
        guard size > Self.smallAnswer else { return nil }
        guard let memory = budget.reserve(size, for: network, isForced: isForced) else { throw Problem.unreadAnswers }
        return memory
    }

    func push(_ answer: SocketAnswer) { stream.push(answer.frame, memory: answer.memory) }

    /// Makes the waiting calls of `begin` return false.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }
}

struct SocketAnswer: Sendable {
    let frame: [UInt8]
    var memory: MemoryReservation?
    /// Whether `begin` has returned true, so that `end` must be called after the answer has been pushed.
    var isLarge = false
}
