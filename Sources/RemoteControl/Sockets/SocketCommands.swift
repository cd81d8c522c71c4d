import Synchronization

/// One client's commands: begun in the order in which they came, each when the player has the one before; answered when they are done. Safe from any
/// thread.
///
/// So a seek or a load that takes its time holds up neither what the client asks next, nor its events.
final class SocketCommands: Sendable {
    /// How many may be under way at once.
    private static let maximumRunning = 8
    /// How many may wait, be under way or be answered without the answer having been taken, before no more are read.
    private static let maximumCount = 64
    /// How many bytes of commands may wait or be under way before no more are read; of answers as many (`SocketAnswers`).
    private static let maximumSize = SocketAnswers.maximumSize

    /// A command as its message, and what counts its memory until it is answered.
    private struct Command: Sendable {
        let message: [UInt8]
        let memory: MemoryReservation?
    }

    private struct State {
        var waiting: [Command] = []
        /// How many bytes those have, with the ones that are under way.
        var size = 0
        var running = 0
        /// Whether the one begun last has not yet reached the player.
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

    /// Whether the client may send more.
    var hasRoom: Bool {
        let unread = answers.unread
        return state.withLock {
            $0.waiting.count + $0.running + unread.count < Self.maximumCount && $0.size + unread.size < Self.maximumSize
        }
    }

    /// Takes a command, as its message.
    func add(_ message: [UInt8], memory: MemoryReservation? = nil) {
        state.withLock {
            guard !$0.isClosed else { return }
            $0.waiting.append(Command(message: message, memory: memory))
            $0.size += message.count
        }
        advance()
    }

    /// Begins the next command where it may begin.
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
        // Before the next one begins: an answer that can be given at once is given first.
        answers.push(answer)
        if answer.isLarge { answers.end() }
        state.withLock {
            $0.running -= 1
            $0.size -= command.message.count
        }
        turn.end()
        advance()
    }

    /// What waits is not begun any more; what is under way is not answered.
    func close() {
        state.withLock {
            $0.isClosed = true
            $0.size -= $0.waiting.reduce(0) { $0 + $1.message.count }
            $0.waiting = []
        }
        answers.close()
    }
}

/// Who sends commands.
struct SocketClient: Sendable {
    let peer: HTTPPeer
    /// Whether it came with a token that was needed.
    let hasToken: Bool
    /// The name it gave itself.
    let name: String?

    init(_ request: RouteRequest) {
        peer = request.request.peer
        hasToken = request.hasToken
        name = request.fields.client
    }
}

/// The right to be the next command of a client. It goes on once the player has the command, or the command is done.
final class CommandTurn: Sendable {
    /// That of the command that is being carried out; nil where nobody waits behind it.
    @TaskLocal static var current: CommandTurn?

    private let successor: Mutex<(@Sendable () -> Void)?>

    init(_ successor: @escaping @Sendable () -> Void) { self.successor = Mutex(successor) }

    /// Lets the next one begin.
    func end() {
        let successor = successor.withLock { $0.take() }
        successor?()
    }

    /// To be called right before the player gets the command: when it has taken it in, and waits for something or is done, the next one may begin.
    @MainActor func endBehindThis() {
        Task { @MainActor in end() }
    }
}
