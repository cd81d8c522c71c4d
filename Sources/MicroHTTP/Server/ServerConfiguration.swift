/// What a server needs to know before it starts.
public struct ServerConfiguration: Sendable {
    /// Where to listen.
    public var address: ListenAddress
    /// The largest body of a request, in bytes; a larger one is refused with 413.
    public var maximumBodySize = 1 << 20
    /// The largest head of a request (request line and header fields), in bytes; a larger one is refused with 431.
    public var maximumHeadSize = 16 << 10
    /// All connections together; nil derives it from the limit of descriptors, which `MicroHTTPServer` raises to the hard limit.
    public var maximumConnections: Int?
    /// Connections of one client at a time, which is an IPv4 address or the /64 network of an IPv6 address; loopback has a limit of its own.
    public var maximumConnectionsPerNetwork = 64
    /// Connections of each loopback address at a time; nil sets none. For a proxy on this machine, whose connections are those of clients elsewhere.
    public var maximumConnectionsOfLoopback: Int?
    /// How long, in seconds, a client may take from the connection until the first line of its request, and from there until the request is complete.
    public var requestTimeout = 30.0
    /// How long, in seconds, a connection may rest between an answer and the first line of the next request (RFC 9112, section 9.5).
    public var keepAliveTimeout = 120.0
    /// How long, in seconds, a client may take to receive an answer.
    public var responseTimeout = 120.0
    /// How long, in seconds, a client of an event stream may read nothing while something waits for it.
    public var stalledStreamTimeout = 60.0
    /// Takes what libmicrohttpd has to say: a line about each connection that went wrong. Called on the server's threads.
    public var log: @Sendable (String) -> Void = { _ in }

    public init(address: ListenAddress) { self.address = address }
}
