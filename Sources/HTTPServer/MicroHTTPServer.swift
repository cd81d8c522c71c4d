import Glibc
public import RemoteControl
import Synchronization

/// An HTTP/1.1 server for one `HTTPHandler`, based on libmicrohttpd.
///
/// libmicrohttpd's thread reads requests, calls the handler, and sends answers. Another one (`StreamLoop`) serves event streams and WebSockets, and
/// sends the last bytes of some connections.
public final class MicroHTTPServer: Sendable {
    private struct State: ~Copyable {
        var socket: ListeningSocket?
        var daemon: Daemon?
        var isStopped = false
    }

    /// With the port that the system chose for port 0.
    public let boundAddress: ListenAddress
    public var port: UInt16 { boundAddress.port }

    private let configuration: ServerConfiguration
    private let handler: any HTTPHandler
    private let state: Mutex<State>

    /// Binds the address. Clients can connect, and wait for answers until `start`. Throws if the address is not available.
    public init(configuration: ServerConfiguration, handler: any HTTPHandler) throws(ServerError) {
        let socket = try ListeningSocket(configuration.address)
        boundAddress = socket.address
        self.configuration = configuration
        self.handler = handler
        state = Mutex(State(socket: socket))
    }

    deinit { stop() }

    /// Raises the soft limit of descriptors to the hard limit. No effect after an earlier `start` or `stop`. Throws if the system has no thread or
    /// descriptor.
    public func start() throws(ServerError) {
        guard let socket = state.withLock({ $0.socket.take() }) else { return }
        let daemon = try Daemon(socket, configuration: configuration, handler: handler)
        let isStopped = state.withLock {
            if !$0.isStopped { $0.daemon = daemon }
            return $0.isStopped
        }
        if isStopped { daemon.stop() }
    }

    /// A request was received completely, and its client has not received the whole answer. Without event streams; any thread.
    public var isAnswering: Bool {
        let daemon = state.withLock { $0.daemon }
        return daemon?.isAnswering ?? false
    }

    /// Closes everything, without answers to pending requests, and returns after the threads have ended.
    ///
    /// Blocks for some milliseconds; not from a handler or an event stream, whose thread it would wait for. Idempotent.
    public func stop() {
        let daemon = state.withLock { state in
            state.isStopped = true
            state.socket = nil
            return state.daemon.take()
        }
        daemon?.stop()
    }
}

enum DescriptorLimit {
    /// For other parts of the process: media files, PulseAudio, libraries, logs.
    private static let reserve = 256

    /// To the hard limit. Returns how many connections that permits, at least 16.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 768 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return max(16, Int(clamping: limit.rlim_cur) - reserve)
    }
}
