import Synchronization

/// Runs one client's WebSocket commands in the order of arrival, each after the player has accepted the preceding one; reads do not wait. Each is
/// answered when it is done, so a slow seek delays neither the next command nor the events.
final class SocketCommands: Sendable {
    /// The greatest number of commands under way at once.
    private static let maximumRunning = 8
    /// The number from which on no more input is read: the commands that wait or run, and the unread answers.
    private static let maximumCount = 64
    /// The size of unread answers from which on no further command is started, and that of commands and unread answers together from which on no more
    /// input is read, in bytes.
    static let maximumSize = 1 << 20

    /// A command, whose `memory` is reserved until it is answered.
    private struct Command: Sendable {
        let message: [UInt8]
        let memory: MemoryReservation?
    }

    private struct State {
        var waiting: [Command] = []
        /// The size of the commands that wait or run, in bytes.
        var size = 0
        var running: [Int: Task<Void, Never>] = [:]
        var started = 0
        /// Whether the player has not yet accepted the command that was started last.
        var isHeld = false
        var isClosed = false
    }

    private let table: SocketCommandTable
    private let client: SocketClient
    /// The stream that sends the answers.
    private let stream: SubscriberStream
    private let state = Mutex(State())

    init(table: SocketCommandTable, client: SocketClient, stream: SubscriberStream) {
        self.table = table
        self.client = client
        self.stream = stream
    }

    /// Whether more input may be read from the client.
    var hasRoom: Bool {
        // An answer is pushed before its command stops counting. So if the commands are read first, no answer is missed; it may be counted twice.
        let (count, size) = state.withLock { ($0.waiting.count + $0.running.count, $0.size) }
        let unread = stream.pushed
        return count + unread.count < Self.maximumCount && size + unread.size < Self.maximumSize
    }

    func add(_ message: [UInt8], memory: MemoryReservation? = nil) {
        state.withLock {
            guard !$0.isClosed else { return }
            $0.waiting.append(Command(message: message, memory: memory))
            $0.size += message.count
        }
        advance()
    }

    func advance() {
        state.withLock { state in
            // The size is read under the lock, so that it contains the answer of the command whose `CommandHold` was released.
            guard !state.waiting.isEmpty, !state.isHeld, state.running.count < Self.maximumRunning, stream.pushed.size < Self.maximumSize else {
                return
            }
            state.isHeld = true
            state.started += 1
            let (command, number) = (state.waiting.removeFirst(), state.started)
            state.running[number] = Task { await run(command, number) }
        }
    }

    private func run(_ command: Command, _ number: Int) async {
        let hold = CommandHold { [self] in
            state.withLock { $0.isHeld = false }
            advance()
        }
        let (frame, memory) = await table.answer(to: command.message, from: client, hold: hold)
        // The answer is pushed before the `CommandHold` is released, so that answers that are available at once have the order of their commands.
        stream.push(frame, memory: memory)
        state.withLock {
            $0.running[number] = nil
            $0.size -= command.message.count
        }
        hold.release()
        advance()
    }

    /// Discards the waiting commands, and also the answers of those that run. The reading of media for these answers ends.
    func close() {
        let running = state.withLock { state in
            state.isClosed = true
            state.size -= state.waiting.reduce(0) { $0 + $1.message.count }
            state.waiting = []
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }
}

struct SocketClient: Sendable {
    let peer: HTTPPeer
    let credential: Credential?
    /// The greatest length of the name, in bytes.
    static let maximumNameLength = 1 << 10
    /// The client's name from the field `Tonearm-Client`.
    let name: String?

    init(_ request: RouteRequest) {
        peer = request.request.peer
        credential = request.credential
        name = request.fields.client
    }
}

/// Keeps a client's next command from starting until the player has accepted the present one, at the latest until it is done.
final class CommandHold: Sendable {
    private let successor: Mutex<(@Sendable () -> Void)?>

    init(_ successor: @escaping @Sendable () -> Void) { self.successor = Mutex(successor) }

    /// Lets the next command start. Only the first call has an effect.
    func release() {
        let successor = successor.withLock { $0.take() }
        successor?()
    }

    /// Lets the next command start after the current job of the main actor. Called directly before the player receives the command. That job lasts
    /// until the player waits, for example for the end of a seek; by then the player has accepted the command.
    @MainActor func releaseAfterCurrentTurn() {
        Task { @MainActor in release() }
    }
}
