/// One client's WebSocket. It reads and writes messages and frames; the server handles the socket.
///
/// `@unchecked Sendable`: only `receive` and `wantsInput` use the mutable properties, and the server calls both from one thread.
final class SocketStream: DuplexStream, @unchecked Sendable {
    /// The greatest size of a message, in bytes: a request's body, and 4,096 for the other parts.
    static let maximumMessage = RemoteAPI.maximumBodyLength + 4096

    private let events: SubscriberStream
    private let commands: SocketCommands
    private let input: MessageReader
    private let budget: MemoryBudget
    private let network: String
    /// The memory for the message that is being received; nil if it is small.
    private var incoming: MemoryReservation?
    /// Whether the WebSocket was closed because the message is not accepted.
    private var isRefused = false
    /// The size of a small message, in bytes. Smaller ones are not in the memory budget, because `SocketCommands` and the number of
    /// connections limit them.
    private static let smallMessage = 16 << 10

    /// - Parameter client: The request that opened the WebSocket.
    init(broadcast: EventBroadcast, _ subscription: EventSubscription, table: SocketCommandTable, client: RouteRequest, received: MemoryBudget) {
        let farewell = SocketFrame.close(.goingAway, "the server is stopping")
        events = SubscriberStream(broadcast: broadcast, subscription, form: .webSocket, farewell: farewell)
        budget = received
        network = client.request.peer.network
        commands = SocketCommands(table: table, client: SocketClient(client), stream: events)
        input = MessageReader(maximumSize: Self.maximumMessage)
    }

    func open(wake: @escaping @Sendable () -> Void) { events.open(wake: wake) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = events.read(into: buffer)
        // If the client has read answers, another command may start.
        commands.advance()
        return count
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isRefused else { return }
        for event in input.read(bytes) {
            switch event {
            case .text(let message):
                guard count(message.count) else { return refuseForMemory() }
                commands.add(message, memory: incoming)
                incoming = nil
            case .binary: return refuse(.unsupportedData, "messages must be text")
            case .reply(let frame, let isLast): events.push(frame, isLast: isLast)
            }
        }
        if !count(input.keptCount) { refuseForMemory() }
    }

    /// Reserves memory for the message, of which `size` bytes have been received. Returns false if the budget does not permit it.
    private func count(_ size: Int) -> Bool {
        guard size > Self.smallMessage else { return true }
        // The reservation grows in steps of 64 KiB, because parts have a few kilobytes each.
        let wanted = min(Self.maximumMessage, (size + 0xFFFF) & ~0xFFFF)
        if let incoming { return incoming.grow(to: wanted) }
        incoming = budget.reserve(wanted, for: network)
        return incoming != nil
    }

    private func refuseForMemory() { refuse(.tryAgainLater, "the memory limit for messages is reached") }

    private func refuse(_ code: CloseCode, _ reason: String) {
        isRefused = true
        incoming = nil
        events.push(SocketFrame.close(code, reason), isLast: true)
    }

    var wantsInput: Bool { !input.isOver && !isRefused && commands.hasRoom }

    func close() {
        commands.close()
        events.close()
    }
}
