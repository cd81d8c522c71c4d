import Synchronization

/// Limits the unread answers to the WebSocket commands of one client. Commands with large answers run one at a time, and the next one starts only
/// after the client has read enough. Any thread may use `SocketAnswers`.
final class SocketAnswers: Sendable {
    /// The size of a client's unread answers, in bytes, from which on no further command of the client is started.
    static let maximumSize = 1 << 20
    /// The maximum size of a small answer, in bytes. Small answers are not counted in the memory budget, because a
    /// client with `maximumSize` bytes of unread answers gets no further answer.
    private static let smallAnswer = 16 << 10

    private struct State {
        /// Whether a command that may have a large answer runs: from its `begin` to its `end`.
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

    /// The number of answers that wait to be sent to the client, and the size of unread answers in bytes.
    var unread: (count: Int, size: Int) { stream.pushed }

    /// Waits until a command that may have a large answer can start: no other such command runs (between `begin` and `end`), and the unread answers
    /// have less than `maximumSize` bytes. If `begin` returns true, the caller must call `end`. Returns false if the client has disconnected.
    func begin() async -> Bool {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume(returning: false) } else { advance() }
        }
    }

    /// Ends a command for which `begin` has returned true, after its answer has been pushed. The next waiting command may then start.
    func end() {
        state.withLock { $0.isMaking = false }
        advance()
    }

    /// Starts the next command that waits in `begin`, if it may start now.
    func advance() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            // The size is read under the lock, so that it contains the answer of the command whose `end` has reset `isMaking`.
            guard !state.waiting.isEmpty, !state.isMaking, stream.pushed.size < Self.maximumSize else { return nil }
            state.isMaking = true
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }

    /// Whether the client's network holds less than its share of the memory budget.
    var hasShare: Bool { budget.hasShare(network) }

    /// Reserves memory for an answer; nil for a small answer, which needs no reservation.
    /// - Parameter isForced: Whether the answer may exceed the budget, because the command has already been carried out.
    func reserve(_ size: Int, isForced: Bool) throws(Problem) -> MemoryReservation? {
        guard size > Self.smallAnswer else { return nil }
        guard let memory = budget.reserve(size, for: network, isForced: isForced) else { throw Problem.unreadAnswers }
        return memory
    }

    func push(_ answer: SocketAnswer) { stream.push(answer.frame, memory: answer.memory) }

    /// Makes all waiting calls of `begin` return false, because the client has disconnected.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }
}

/// The WebSocket frame that answers a command, and the memory reserved for the frame.
struct SocketAnswer: Sendable {
    let frame: [UInt8]
    var memory: MemoryReservation?
    /// Whether `SocketAnswers.begin` has returned true for the command, so that `end` must be called after the answer has been pushed.
    var isLarge = false
}
