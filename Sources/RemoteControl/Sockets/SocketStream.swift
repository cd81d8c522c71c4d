import WebSocket

/// The WebSocket of one client: it sends events and answers, and receives commands. It handles frames and messages; the server handles the socket.
///
/// `@unchecked Sendable`: only `receive` and `wantsInput` use the mutable properties, and the server calls both from one thread.
final class SocketStream: DuplexStream, @unchecked Sendable {
    /// The maximum size of a WebSocket message, in bytes: the maximum size of a request's body, and 4,096 bytes for the names of arguments and other
    /// parts of the message.
    static let maximumMessage = RemoteAPI.maximumBodyLength + 4096

    private let events: SubscriberStream
    private let commands: SocketCommands
    private let input: MessageReader
    private let budget: MemoryBudget
    private let network: String
    /// The memory reserved for the message that is being received; nil if this message is small.
    private var incoming: MemoryReservation?
    /// Whether the connection is being closed because the budget has no memory for the client's message.
    private var isRefused = false
    /// The maximum size of a small message, in bytes. Small messages are not counted in the memory budget: `SocketCommands` limits the number and
    /// size of a client's commands, and the number of connections is limited.
    private static let smallMessage = 16 << 10

    /// Creates the stream of a WebSocket.
    /// - Parameter client: The request that opened the WebSocket.
    init(feed: EventFeed, _ subscription: Subscription, table: SocketCommandTable, client: RouteRequest, received: MemoryBudget, unread: MemoryBudget)
    {
        events = SubscriberStream(feed: feed, subscription, form: .webSocket, farewell: Frame.close(.goingAway, "the server is stopping"))
        budget = received
        network = client.request.peer.network
        let answers = SocketAnswers(stream: events, budget: unread, network: network)
        commands = SocketCommands(table: table, client: SocketClient(client), answers: answers)
        input = MessageReader(limits: MessageReader.Limits(message: Self.maximumMessage, takesBinary: false))
    }

    func open(wake: @escaping @Sendable () -> Void) { events.open(wake: wake) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = events.read(into: buffer)
        // If the client has read answers, another command may now be permitted to start.
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
            case .binary: events.push(Frame.close(.unsupportedData, "messages must be text"), isLast: true)
            }
        }
        if !count(input.keptCount) { refuse() }
    }

    /// Reserves memory for the message that is being received. Returns false if the memory budget does not permit the reservation.
    /// - Parameter size: The size of the received part of the message, in bytes.
    private func count(_ size: Int) -> Bool {
        guard size > Self.smallMessage else { return true }
        // The size is rounded up to a multiple of 64 KiB. The received parts have a few kilobytes each, so most of them need no extension of the
        // reservation.
        let wanted = min(Self.maximumMessage, (size + 0xFFFF) & ~0xFFFF)
        if let incoming { return incoming.grow(to: wanted) }
        incoming = budget.reserve(wanted, for: network)
        return incoming != nil
    }

    private func refuse() {
        isRefused = true
        incoming = nil
        events.push(Frame.close(.tryAgainLater, "the memory limit for messages is reached"), isLast: true)
    }

    var wantsInput: Bool { !input.isOver && !isRefused && commands.hasRoom }

    func close() {
        commands.close()
        events.close()
    }
}
