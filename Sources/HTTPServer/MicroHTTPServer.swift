import Glibc
public import Platform
public import RemoteControl
import Synchronization

/// An HTTP/1.1 server for one `HTTPHandler`, based on libmicrohttpd.
///
/// libmicrohttpd's thread reads requests, calls the handler, and sends answers. Another thread (`StreamLoop`) serves event streams and WebSockets,
/// and sends the last bytes of some connections.
public final class MicroHTTPServer: Sendable {
    private struct State: ~Copyable {
        var socket: ListeningSocket?
        var threads: ServerThreads?
        var isStopped = false
    }

    /// The address at which the server listens, with the port that the system chose in place of port 0.
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

    /// Starts the threads, and raises the soft limit of descriptors to the hard limit. No effect after an earlier `start` or `stop`. Throws if the
    /// system has no thread or descriptor.
    public func start() throws(ServerError) {
        guard let socket = state.withLock({ $0.socket.take() }) else { return }
        let threads = try ServerThreads(socket, configuration: configuration, handler: handler)
        let isStopped = state.withLock {
            if !$0.isStopped { $0.threads = threads }
            return $0.isStopped
        }
        if isStopped { threads.stop() }
    }

    /// Whether a client has sent a complete request, and has not received the whole answer. Event streams do not count. Any thread may read it.
    public var isAnswering: Bool {
        let threads = state.withLock { $0.threads }
        return threads?.isAnswering ?? false
    }

    /// Closes everything, without answers to pending requests, and returns after the threads have ended.
    ///
    /// Blocks for some milliseconds. Must not be called from a handler or an event stream, whose thread would wait for itself. Idempotent.
    public func stop() {
        let threads = state.withLock { state in
            state.isStopped = true
            state.socket = nil
            return state.threads.take()
        }
        threads?.stop()
    }
}

enum DescriptorLimit {
    /// The number of descriptors that are reserved for other parts of the process: media files, PulseAudio, libraries, logs.
    private static let reserve = 256

    /// Raises the soft limit to the hard limit. Returns how many connections that permits, at least 16.
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

/// The settings of an HTTP server.
public struct ServerConfiguration: Sendable {
    public var address: ListenAddress
    /// The largest size of a body, in bytes; a larger body gets status 413.
    public var maximumBodySize = 1 << 20
    /// The largest size of a head, in bytes; a larger head gets status 431.
    public var maximumHeadSize = 16 << 10
    /// The limit of connections; nil for as many as the limit of descriptors permits.
    public var maximumConnections: Int?
    /// The limit of connections from an IPv4 address, or a /64 network of IPv6. Loopback addresses and proxies have their own limits.
    public var maximumConnectionsPerNetwork = 64
    /// The limit of connections from each loopback address; nil for no limit. Useful if a proxy on this machine connects for other clients.
    public var maximumConnectionsOfLoopback: Int?
    /// The limit of connections from each proxy on another machine (`isProxy`).
    public var maximumConnectionsOfProxy = 1024
    /// Whether an address is that of a proxy, which connects for other clients. Called on the server's threads, at each new connection.
    public var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
    /// The longest time from the connection to the first line of the request, and again from there to the end of the request, in seconds.
    public var requestTimeout = 30.0
    /// The longest pause between requests, in seconds (RFC 9112, section 9.5).
    public var keepAliveTimeout = 120.0
    /// The longest time for a client to receive an answer, in seconds.
    public var responseTimeout = 120.0
    /// The longest time for which data of a stream waits and the client does not read, in seconds.
    public var stalledStreamTimeout = 60.0
    /// The longest time for sending the last bytes and for the client's close, in seconds.
    var farewellTimeout = 2.0
    /// Logs a message of libmicrohttpd: one line for each failed connection. Called on the server's threads.
    public var log: @Sendable (String) -> Void = { _ in }

    public init(address: ListenAddress) { self.address = address }
}

/// The reason why the server cannot start; `description` is one sentence for the user.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not `ADDRESS:PORT`.
    case malformedAddress(String)
    /// Another program uses the port.
    case addressInUse(String)
    /// No interface of this machine has the address.
    case addressNotAvailable(String)
    /// The user may not listen at the address, for example at a port below 1024.
    case permissionDenied(String)
    case system(SystemError)
    /// libmicrohttpd did not start, for this reason.
    case library(String)

    public var description: String {
        switch self {
        case .malformedAddress(let text):
            "\"\(text)\" is not an address to listen on. Give a numeric address and a port, such as 127.0.0.1:7711 or [::1]:7711."
        case .addressInUse(let address):
            "Cannot listen on \(address): the port is in use by another program."
        case .addressNotAvailable(let address):
            "Cannot listen on \(address): this machine does not have that address."
        case .permissionDenied(let address):
            "Cannot listen on \(address): permission denied; ports below 1024 are reserved."
        case .system(let error):
            "The HTTP server cannot start: \(error)."
        case .library(let message):
            "The HTTP server cannot start: \(message)."
        }
    }
}
