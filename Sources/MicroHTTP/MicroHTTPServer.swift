public import RemoteControl
import Synchronization

/// An HTTP/1.1 server for one handler, based on libmicrohttpd.
///
/// It has two threads: libmicrohttpd's reads requests and sends answers; the other sends the event streams. The handler is called on the former, its
/// streams on the latter.
public final class MicroHTTPServer: Sendable {
    private struct State: ~Copyable {
        var socket: ListeningSocket?
        var daemon: Daemon?
        var isStopped = false
    }

    /// The address on which the server listens. If port 0 was requested, it has the port that the system chose.
    public let boundAddress: ListenAddress
    /// The port of `boundAddress`.
    public var port: UInt16 { boundAddress.port }

    private let configuration: ServerConfiguration
    private let handler: any HTTPHandler
    private let state: Mutex<State>

    /// Binds the address. From here on clients can connect, and wait until `start`.
    /// - Throws: `ServerError` if the address is not available.
    public init(configuration: ServerConfiguration, handler: any HTTPHandler) throws(ServerError) {
        let socket = try ListeningSocket(configuration.address)
        boundAddress = socket.address
        self.configuration = configuration
        self.handler = handler
        state = Mutex(State(socket: socket))
    }

    deinit { stop() }

    /// Starts to answer requests. Raises the process's limit of descriptors to the hard limit. Does nothing after an earlier `start` or `stop`.
    /// - Throws: `ServerError` if the system provides no thread or descriptor.
    public func start() throws(ServerError) {
        guard let socket = state.withLock({ $0.socket.take() }) else { return }
        let daemon = try Daemon(socket, configuration: configuration, handler: handler)
        let isStopped = state.withLock {
            if !$0.isStopped { $0.daemon = daemon }
            return $0.isStopped
        }
        if isStopped { daemon.stop() }
    }

    /// Closes every connection and every event stream, and ends the threads; returns when all is done. Pending requests receive no answer.
    ///
    /// Blocks for some milliseconds. Must not be called by a handler or an event stream, because it would wait for its own thread. A second call has
    /// no effect.
    public func stop() {
        let daemon = state.withLock { state in
            state.isStopped = true
            state.socket = nil
            return state.daemon.take()
        }
        daemon?.stop()
    }
}
