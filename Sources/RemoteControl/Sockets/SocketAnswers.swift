import Synchronization

/// The answers to one client's commands, until the client has read them. Commands with large answers run one at a time, after the client has read
/// enough of the preceding answers. Any thread.
final class SocketAnswers: Sendable {
    /// The size of unread answers at which no further command is started, in bytes.
    static let maximumSize = 1 << 20
    /// Answers up to this size are not counted in the budget, because `maximumSize` bounds them; in bytes.
    private static let smallAnswer = 16 << 10

    private struct State {
        /// Whether a large answer is being made.
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

    /// The number of answers that the client has not read, and their size in bytes.
    var unread: (count: Int, size: Int) { stream.pushed }

    /// Waits until a command that may have a large answer can start: one at a time, and not while too much is unread. Returns false if the client has
    /// disconnected. After true, `end` must be called.
    func begin() async -> Bool {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume(returning: false) } else { advance() }
        }
    }

    /// Marks the large answer as pushed, or as not needed.
    func end() {
        state.withLock { $0.isMaking = false }
        advance()
    }

    /// Starts the next command with a large answer, if permitted.
    func advance() {
        guard state.withLock({ !$0.waiting.isEmpty }) else { return }
        let unread = stream.pushed.size
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.isMaking, unread < Self.maximumSize, !state.waiting.isEmpty else { return nil }
            state.isMaking = true
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }

    /// Whether the client's network has any of its share left.
    var hasShare: Bool { budget.hasShare(network) }

    /// Reserves memory for an answer; nil for a small one. `isForced`: the command was carried out, so the answer may exceed the budget.
    func reserve(_ size: Int, isForced: Bool) throws(Problem) -> MemoryReservation? {
        guard size > Self.smallAnswer else { return nil }
        guard let memory = budget.reserve(size, for: network, isForced: isForced) else { throw Problem.unreadAnswers }
        return memory
    }

    func push(_ answer: SocketAnswer) { stream.push(answer.frame, memory: answer.memory) }

    /// Ends all waiting, because the client has disconnected.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }
}

/// The frame that answers a command, and its reserved memory.
struct SocketAnswer: Sendable {
    let frame: [UInt8]
    var memory: MemoryReservation?
    /// Whether `SocketAnswers.end` must be called after the push.
    var isLarge = false
}
