import RemoteControl
import Synchronization

/// The objects that all connections share.
///
/// `@unchecked Sendable`: `reader` is used only on libmicrohttpd's thread; the rest is immutable or thread-safe.
final class HTTPService: @unchecked Sendable {
    let handler: any HTTPHandler
    let connections: ConnectionTable
    let deferred = DeferredAnswers()
    let mailbox: LoopMailbox
    let maximumBodySize: Int
    let received: MemoryBudget
    let unread: MemoryBudget
    let reader: RequestReader
    private let log: @Sendable (String) -> Void
    /// Whether the next message results from an intended close, and is not logged.
    private let suppressesNextMessage = Atomic(false)

    init(handler: any HTTPHandler, configuration: ServerConfiguration, connections: ConnectionTable, mailbox: LoopMailbox) {
        self.handler = handler
        self.connections = connections
        self.mailbox = mailbox
        maximumBodySize = configuration.maximumBodySize
        received = handler.received
        unread = handler.unread
        reader = RequestReader(maximumHeadSize: configuration.maximumHeadSize, connectionMemory: ServerThreads.connectionMemory)
        log = configuration.log
    }

    /// Ends the requests that wait for answers.
    func stop() { deferred.stop() }

    /// Prevents libmicrohttpd's next message from being logged: it reports an "internal error" if a callback closes a connection.
    func suppressNextMessage() { suppressesNextMessage.store(true, ordering: .relaxed) }

    func report(_ line: String) {
        guard !suppressesNextMessage.exchange(false, ordering: .relaxed) else { return }
        log(line)
    }
}
