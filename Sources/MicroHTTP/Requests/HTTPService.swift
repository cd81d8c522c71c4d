import RemoteControl
import Synchronization

/// The objects that all connections of one HTTP server share.
///
/// `@unchecked Sendable`: `reader` is used only on libmicrohttpd's thread. All other properties are immutable or thread-safe.
final class HTTPService: @unchecked Sendable {
    let handler: any HTTPHandler
    let connections: ConnectionTable
    let deferred = DeferredAnswers()
    let mailbox: LoopMailbox
    let maximumBodySize: Int
    let maximumHeadSize: Int
    let received: MemoryBudget
    let unread: MemoryBudget
    let reader: RequestReader
    private let log: @Sendable (String) -> Void
    private let stopping = Atomic(false)
    /// Whether libmicrohttpd's next log message is not logged, because the message results from an intended close.
    private let suppressesNextMessage = Atomic(false)

    init(handler: any HTTPHandler, configuration: ServerConfiguration, connections: ConnectionTable, mailbox: LoopMailbox) {
        self.handler = handler
        self.connections = connections
        self.mailbox = mailbox
        maximumBodySize = configuration.maximumBodySize
        maximumHeadSize = configuration.maximumHeadSize
        received = handler.received
        unread = handler.unread
        reader = RequestReader(maximumHeadSize: configuration.maximumHeadSize)
        log = configuration.log
    }

    /// Whether the HTTP server is stopping, which closes all connections.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }
    /// Makes `isStopping` true, and ends the requests that wait for their answers.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        deferred.stop()
    }

    /// Makes the log omit libmicrohttpd's next message. If a callback closes a connection, libmicrohttpd reports an "internal error", although the
    /// close is intended.
    func suppressNextMessage() { suppressesNextMessage.store(true, ordering: .relaxed) }

    func report(_ line: String) {
        guard !suppressesNextMessage.exchange(false, ordering: .relaxed) else { return }
        log(line)
    }
}
