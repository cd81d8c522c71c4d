/// The settings of a server.
public struct ServerConfiguration: Sendable {
    /// The address to listen on.
    public var address: ListenAddress
    /// The maximum size of a request's body, in bytes; a larger one is refused with 413.
    public var maximumBodySize = 1 << 20
    /// The maximum size of a request's head (request line and header fields), in bytes; a larger one is refused with 431.
    public var maximumHeadSize = 16 << 10
    /// The maximum number of connections; nil derives it from the limit of descriptors, which `MicroHTTPServer` raises to the hard limit.
    public var maximumConnections: Int?
    /// The maximum number of connections of one client: an IPv4 address or the /64 network of an IPv6 address. Loopback has a separate limit.
    public var maximumConnectionsPerNetwork = 64
    /// The maximum number of connections of each loopback address; nil for no limit. For a proxy on this machine, which connects for other clients.
    public var maximumConnectionsOfLoopback: Int?
    /// The time, in seconds, from the connection to the first line of the request, and from there to the end of the request.
    public var requestTimeout = 30.0
    /// The maximum idle time between an answer and the first line of the next request, in seconds (RFC 9112, section 9.5).
    public var keepAliveTimeout = 120.0
    /// The time in which a client must receive an answer, in seconds.
    public var responseTimeout = 120.0
    /// The time after which an event stream is closed if its client reads nothing although data is waiting, in seconds.
    public var stalledStreamTimeout = 60.0
    /// Receives libmicrohttpd's messages: a line for each failed connection. Called on the server's threads.
    public var log: @Sendable (String) -> Void = { _ in }

    public init(address: ListenAddress) { self.address = address }
}
