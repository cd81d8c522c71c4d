import WebSocket

/// One client's WebSocket: events and answers out, commands in. It knows frames and messages, and no socket.
///
/// `@unchecked Sendable`: what is not immutable is touched by `receive` and `wantsInput` alone, which the server calls from one thread.
final class SocketStream: DuplexStream, @unchecked Sendable {
    /// The largest message that is taken: a body with its arguments' names, and what is around it.
    static let maximumMessage = RemoteAPI.maximumBodyLength + 4096

    private let events: SubscriberStream
    private let commands: SocketCommands
    private let input: MessageReader
    private let budget: MemoryBudget
    private let network: String
    /// The memory of the message that is being received, where it is no small one.
    private var incoming: MemoryReservation?
    /// Whether the connection closes because there is no memory for its message.
    private var isRefused = false
    /// Messages of up to this size, bytes, are not counted: there is one for each connection, and connections are limited.
    private static let smallMessage = 16 << 10

    /// `client`: the request that opened it.
    init(feed: EventFeed, _ subscription: Subscription, table: SocketCommandTable, client: RouteRequest, received: MemoryBudget, unread: MemoryBudget)
    {
        events = SubscriberStream(feed: feed, subscription, form: .webSocket, farewell: Frame.close(.goingAway, "the server stops"))
        budget = received
        network = client.request.peer.network
        let answers = SocketAnswers(stream: events, budget: unread, network: network)
        commands = SocketCommands(table: table, client: SocketClient(client), answers: answers)
        input = MessageReader(limits: MessageReader.Limits(message: Self.maximumMessage, takesBinary: false))
    }

    func open(wake: @escaping @Sendable () -> Void) { events.open(wake: wake) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = events.read(into: buffer)
        // What has been taken makes room for more.
        commands.advance()
        return count
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isRefused else { return }
        for event in input.read(bytes) {
            switch event {
            case .text(let message):
                guard count(message.count) else { return refuse() }
                commands.add(message, memory: incoming)
                incoming = nil
            case .ping(let payload): events.push(Frame.encoded(.pong, payload))
            case .pong: break
            case .close(let code, _): events.push(code.map { Frame.close($0) } ?? Frame.encoded(.close, []), isLast: true)
            case .failure(let code, let reason): events.push(Frame.close(code, reason), isLast: true)
            case .binary: events.push(Frame.close(.unsupportedData, "messages are text"), isLast: true)
            }
        }
        if !count(input.keptCount) { refuse() }
    }

    /// Counts the memory of the message that is being received; false where there is none.
    private func count(_ size: Int) -> Bool {
        guard size > Self.smallMessage else { return true }
        // In steps: a message comes in pieces of a few kilobytes.
        let wanted = min(Self.maximumMessage, (size + 0xFFFF) & ~0xFFFF)
        if let incoming { return incoming.grow(to: wanted) }
        incoming = budget.reserve(wanted, for: network)
        return incoming != nil
    }

    private func refuse() {
        isRefused = true
        incoming = nil
        events.push(Frame.close(.tryAgainLater, "the memory for messages is used up"), isLast: true)
    }

    var wantsInput: Bool { !input.isOver && !isRefused && commands.hasRoom }

    func close() {
        commands.close()
        events.close()
    }
}
