public import RemoteControl
import Synchronization

/// An HTTP/1.1 server for one `HTTPHandler`, based on libmicrohttpd.
///
/// The HTTP server has two threads. libmicrohttpd's thread reads requests, calls the handler, and sends answers. The other thread (`StreamLoop`)
/// sends the event streams and calls their methods. It also serves the WebSockets, and sends the last bytes of some connections.
public final class MicroHTTPServer: Sendable {
    private struct State: ~Copyable {
        var socket: ListeningSocket?
        var daemon: Daemon?
        var isStopped = false
    }

    /// The address on which the HTTP server listens. If port 0 was requested, the server's address has the port that the system chose.
    public let boundAddress: ListenAddress
    /// The number of the port on which the HTTP server listens.
    public var port: UInt16 { boundAddress.port }

    private let configuration: ServerConfiguration
    private let handler: any HTTPHandler
    private let state: Mutex<State>

    /// Binds the address of the HTTP server. After `init` clients can connect to the server, but they wait for answers until `start`.
    /// - Throws: `ServerError` if the server's address is not available.
    public init(configuration: ServerConfiguration, handler: any HTTPHandler) throws(ServerError) {
        let socket = try ListeningSocket(configuration.address)
        boundAddress = socket.address
        self.configuration = configuration
        self.handler = handler
        state = Mutex(State(socket: socket))
    }

    deinit { stop() }

    /// Starts to answer HTTP requests, after it has raised the process's soft limit of descriptors to the hard limit. A call after an earlier `start`
    /// or `stop` has no effect.
    /// - Throws: `ServerError` if the system provides no thread or descriptor for the server.
    public func start() throws(ServerError) {
        guard let socket = state.withLock({ $0.socket.take() }) else { return }
        let daemon = try Daemon(socket, configuration: configuration, handler: handler)
        let isStopped = state.withLock {
            if !$0.isStopped { $0.daemon = daemon }
            return $0.isStopped
        }
        if isStopped { daemon.stop() }
    }

    /// Whether at least one HTTP request has been received completely and its client has not received the whole answer. Event streams do not count.
    /// Any thread may ask.
    public var isAnswering: Bool {
        let daemon = state.withLock { $0.daemon }
        return daemon?.isAnswering ?? false
    }

    /// Closes every connection and every event stream of the server, and returns after the server's threads have ended. Pending HTTP requests receive
    /// no answer.
    ///
    /// Blocks for some milliseconds. An HTTP handler or an event stream must not call `stop`, because `stop` would then wait for the end of the
    /// thread on which it runs. A second call has no effect.
    public func stop() {
        let daemon = state.withLock { state in
            state.isStopped = true
            state.socket = nil
            return state.daemon.take()
        }
        daemon?.stop()
    }
}
