import Synchronization

/// One client's commands, started in the order of arrival, each after the player has accepted the preceding one. Answered when done. Any thread.
///
/// So a slow seek or load delays neither the client's next command nor its events.
final class SocketCommands: Sendable {
    /// The maximum number of commands under way.
    private static let maximumRunning = 8
    /// The maximum number of commands that wait, are under way, or have an unread answer. Beyond it, no more input is read.
    private static let maximumCount = 64
    /// The maximum size of commands that wait or are under way, plus unread answers (`SocketAnswers`), in bytes. Beyond it, no more input is read.
    private static let maximumSize = SocketAnswers.maximumSize

    /// A command's message, and its reserved memory until it is answered.
    private struct Command: Sendable {
        let message: [UInt8]
        let memory: MemoryReservation?
    }

    private struct State {
        var waiting: [Command] = []
        /// The size of the commands that wait or are under way, in bytes.
        var size = 0
        var running = 0
        /// Whether the last started command has not reached the player yet.
        var isHeld = false
        var isClosed = false
    }

    private let table: SocketCommandTable
    private let client: SocketClient
    private let answers: SocketAnswers
    private let state = Mutex(State())

    init(table: SocketCommandTable, client: SocketClient, answers: SocketAnswers) {
        self.table = table
        self.client = client
        self.answers = answers
    }

    /// Whether more input may be read from the client.
    var hasRoom: Bool {
        let unread = answers.unread
        return state.withLock {
            $0.waiting.count + $0.running + unread.count < Self.maximumCount && $0.size + unread.size < Self.maximumSize
        }
    }

    /// Adds a command, as its message.
    func add(_ message: [UInt8], memory: MemoryReservation? = nil) {
        state.withLock {
            guard !$0.isClosed else { return }
            $0.waiting.append(Command(message: message, memory: memory))
            $0.size += message.count
        }
        advance()
    }

    /// Starts the next command, if permitted.
    func advance() {
        answers.advance()
        guard state.withLock({ !$0.waiting.isEmpty }) else { return }
        let unread = answers.unread.size
        let next = state.withLock { state -> Command? in
            guard !state.waiting.isEmpty, !state.isHeld, state.running < Self.maximumRunning, unread < Self.maximumSize else { return nil }
            state.isHeld = true
            state.running += 1
            return state.waiting.removeFirst()
        }
        guard let next else { return }
        Task { await run(next) }
    }

    private func run(_ command: Command) async {
        let turn = CommandTurn { [self] in
            state.withLock { $0.isHeld = false }
            advance()
        }
        let answer = await CommandTurn.$current.withValue(turn) { await table.answer(to: command.message, from: client, into: answers) }
        // Push before the turn ends, so that an immediate answer precedes those of later commands.
        answers.push(answer)
        if answer.isLarge { answers.end() }
        state.withLock {
            $0.running -= 1
            $0.size -= command.message.count
        }
        turn.end()
        advance()
    }

    /// Discards the waiting commands, and the answers of those under way.
    func close() {
        state.withLock {
            $0.isClosed = true
            $0.size -= $0.waiting.reduce(0) { $0 + $1.message.count }
            $0.waiting = []
        }
        answers.close()
    }
}

/// The sender of commands.
struct SocketClient: Sendable {
    let peer: HTTPPeer
    /// Whether the handshake showed a token that was needed.
    let hasToken: Bool
    /// The name that the client gave itself.
    let name: String?

    init(_ request: RouteRequest) {
        peer = request.request.peer
        hasToken = request.hasToken
        name = request.fields.client
    }
}

/// Orders a client's commands. The turn passes to the next command after the player has accepted this one, or after this one is done.
final class CommandTurn: Sendable {
    /// The turn of the command that is being carried out; nil if no other command waits for it.
    @TaskLocal static var current: CommandTurn?

    private let successor: Mutex<(@Sendable () -> Void)?>

    init(_ successor: @escaping @Sendable () -> Void) { self.successor = Mutex(successor) }

    /// Lets the next command start. Only the first call has an effect.
    func end() {
        let successor = successor.withLock { $0.take() }
        successor?()
    }

    /// Ends the turn after the current turn of the main actor. Called right before the player receives the command.
    ///
    /// The main actor runs one job at a time, and this job continues until the player waits, for example for a landing. So the player has accepted
    /// the command when the next one starts.
    @MainActor func endAfterCurrentTurn() {
        Task { @MainActor in end() }
    }
}
