import Synchronization

/// Runs the WebSocket commands of one client. They start in the order of arrival, each after the player has accepted the preceding one; after a
/// command that changes nothing, the next one starts without that wait. Each is answered when it is done. Any thread may use `SocketCommands`.
///
/// So a slow seek or load delays neither the client's next command nor the client's events.
final class SocketCommands: Sendable {
    /// The maximum number of a client's commands that are under way.
    private static let maximumRunning = 8
    /// The number of commands that wait, are under way, or have an unread answer, from which on no more input is read from the client.
    private static let maximumCount = 64
    /// The size, in bytes, from which on no more input is read from the client: of the commands that wait or are under way, and of the unread answers
    /// (`SocketAnswers`), together.
    private static let maximumSize = SocketAnswers.maximumSize

    /// The message of a command, and the memory that is reserved for the message until the command is answered.
    private struct Command: Sendable {
        let message: [UInt8]
        let memory: MemoryReservation?
    }

    private struct State {
        var waiting: [Command] = []
        /// The size of all commands of the client that wait or are under way, in bytes.
        var size = 0
        var running = 0
        /// Whether the next command must wait, because the player has not yet accepted the command that was started last.
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

    /// Whether the limits permit the server to read more input from the client.
    var hasRoom: Bool {
        // A command that ends pushes its answer before it stops counting as under way. So in this order none is missed, and at most counted twice.
        let (count, size) = state.withLock { ($0.waiting.count + $0.running, $0.size) }
        let unread = answers.unread
        return count + unread.count < Self.maximumCount && size + unread.size < Self.maximumSize
    }

    /// Adds a command, given as its message, to the waiting commands.
    func add(_ message: [UInt8], memory: MemoryReservation? = nil) {
        state.withLock {
            guard !$0.isClosed else { return }
            $0.waiting.append(Command(message: message, memory: memory))
            $0.size += message.count
        }
        advance()
    }

    /// Starts the next waiting command, if the limits and the preceding command permit it.
    func advance() {
        answers.advance()
        let next = state.withLock { state -> Command? in
            // The size is read under the lock, so that it contains the answer of the command that has released the hold.
            guard !state.waiting.isEmpty, !state.isHeld, state.running < Self.maximumRunning, answers.unread.size < Self.maximumSize else {
                return nil
            }
            state.isHeld = true
            state.running += 1
            return state.waiting.removeFirst()
        }
        guard let next else { return }
        Task { await run(next) }
    }

    private func run(_ command: Command) async {
        let hold = CommandHold { [self] in
            state.withLock { $0.isHeld = false }
            advance()
        }
        let answer = await table.answer(to: command.message, from: client, into: answers, hold: hold)
        // The answer is pushed before the hold is released, so that an answer that is available at once precedes those of later commands.
        answers.push(answer)
        if answer.isLarge { answers.end() }
        state.withLock {
            $0.running -= 1
            $0.size -= command.message.count
        }
        hold.release()
        advance()
    }

    /// Discards the waiting commands, and the answers of the commands that are under way.
    func close() {
        state.withLock {
            $0.isClosed = true
            $0.size -= $0.waiting.reduce(0) { $0 + $1.message.count }
            $0.waiting = []
        }
        answers.close()
    }
}

/// The client that sends the commands of one WebSocket.
struct SocketClient: Sendable {
    let peer: HTTPPeer
    /// The credential of the handshake; nil if the server needs no token.
    let credential: Credential?
    /// The maximum length of a name that a command gives, in bytes.
    static let maximumNameLength = 1 << 10
    /// The name that the client gave itself in the field `Tonearm-Client`; nil if it gave none.
    let name: String?

    init(_ request: RouteRequest) {
        peer = request.request.peer
        credential = request.credential
        name = request.fields.client
    }
}

/// Keeps the next command of the same client from starting (`SocketCommands`), until the player has accepted the present command, or at the latest
/// until it is done.
final class CommandHold: Sendable {
    private let successor: Mutex<(@Sendable () -> Void)?>

    init(_ successor: @escaping @Sendable () -> Void) { self.successor = Mutex(successor) }

    /// Lets the next command start. Only the first call of `release` has an effect.
    func release() {
        let successor = successor.withLock { $0.take() }
        successor?()
    }

    /// Calls `release` after the current job of the main actor. Called directly before the player receives the command.
    ///
    /// The main actor runs one job at a time. The current job lasts until the player waits, for example for the landing of a seek. Then the player
    /// has accepted the command, so the next one may start.
    @MainActor func releaseAfterCurrentTurn() {
        Task { @MainActor in release() }
    }
}
