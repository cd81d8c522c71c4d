import Synchronization

/// The answers to one client's commands, until the client has taken them. A large one is counted before it is made, and made when the client has taken
/// those before it. Any thread.
final class SocketAnswers: Sendable {
    /// How many bytes of answers may be unread before no further command is begun.
    static let maximumSize = 1 << 20
    /// Answers of up to this size, bytes, are always given: `maximumSize` bounds them.
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

    /// What the client has not taken yet: pieces and bytes.
    var unread: (count: Int, size: Int) { stream.pushed }

    /// Returns when a command may be carried out that may have a large answer: one at a time, and not while too much is unread. To be followed by
    /// `end`; false, and not followed by it, where the client has left.
    func begin() async -> Bool {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume(returning: false) } else { advance() }
        }
    }

    /// The large answer has been pushed, or there is none.
    func end() {
        state.withLock { $0.isMaking = false }
        advance()
    }

    /// Lets the next command with a large answer begin where it may.
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

    /// Whether the client's network may hold more.
    var hasShare: Bool { budget.hasShare(network) }

    /// Counts an answer that is about to be made. `isForced`: what it answers has been carried out.
    func reserve(_ size: Int, isForced: Bool) throws(Problem) -> MemoryReservation? {
        guard size > Self.smallAnswer else { return nil }
        guard let memory = budget.reserve(size, for: network, isForced: isForced) else { throw Problem.unreadAnswers }
        return memory
    }

    func push(_ answer: SocketAnswer) { stream.push(answer.frame, memory: answer.memory) }

    /// Nobody will take anything any more.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }
}

/// The frame that answers a command, and what counts its memory.
struct SocketAnswer: Sendable {
    let frame: [UInt8]
    var memory: MemoryReservation?
    /// Whether `SocketAnswers.end` is to be called when it has been pushed.
    var isLarge = false
}
