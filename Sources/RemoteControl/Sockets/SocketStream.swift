import WebSocket

/// One client's WebSocket: events and answers out, commands in. It knows frames and messages, and no socket.
///
/// `@unchecked Sendable`: `input` is touched by `receive` and `wantsInput` alone, which the server calls from one thread.
final class SocketStream: DuplexStream, @unchecked Sendable {
    /// The largest message that is taken: a body with its arguments' names, and what is around it.
    static let maximumMessage = RemoteAPI.maximumBodyLength + 4096

    private let events: SubscriberStream
    private let commands: SocketCommands
    private let input: MessageReader

    /// `client`: the request that opened it.
    init(feed: EventFeed, _ subscription: Subscription, table: SocketCommandTable, client: RouteRequest) {
        events = SubscriberStream(feed: feed, subscription, form: .webSocket, farewell: Frame.close(.goingAway, "the server stops"))
        commands = SocketCommands(table: table, client: SocketClient(client), answers: events)
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
        for event in input.read(bytes) {
            switch event {
            case .text(let message): commands.add(message)
            case .ping(let payload): events.push(Frame.encoded(.pong, payload))
            case .pong: break
            case .close(let code, _): events.push(code.map { Frame.close($0) } ?? Frame.encoded(.close, []), isLast: true)
            case .failure(let code, let reason): events.push(Frame.close(code, reason), isLast: true)
            case .binary: events.push(Frame.close(.unsupportedData, "messages are text"), isLast: true)
            }
        }
    }

    var wantsInput: Bool { !input.isOver && commands.hasRoom }

    func close() {
        commands.close()
        events.close()
    }
}
