/// The settings of an HTTP server.
public struct ServerConfiguration: Sendable {
    /// The address on which the HTTP server listens.
    public var address: ListenAddress
    /// The maximum size of an HTTP request's body, in bytes. A request with a larger body is refused with status 413.
    public var maximumBodySize = 1 << 20
    /// The maximum size of a request's head (request line and header fields), in bytes. A request with a larger head is refused with status 431.
    public var maximumHeadSize = 16 << 10
    /// The maximum number of connections to the server; nil means as many as the limit of descriptors permits, after `MicroHTTPServer` has raised it
    /// to the hard limit.
    public var maximumConnections: Int?
    /// The maximum number of connections from one client: from an IPv4 address, or from the /64 network of an IPv6 address. Loopback addresses and
    /// proxies (`isProxy`) have limits of their own.
    public var maximumConnectionsPerNetwork = 64
    /// The maximum number of connections from each loopback address; nil means no limit. A limit for loopback addresses is useful if a proxy on this
    /// machine connects for other clients.
    public var maximumConnectionsOfLoopback: Int?
    /// The maximum number of connections from the address of a proxy on another machine (`isProxy`).
    public var maximumConnectionsOfProxy = 1024
    /// Returns whether a numeric address is the address of a proxy, which connects for other clients. `isProxy` is called on the server's threads, at
    /// each new connection.
    public var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
    /// The time limit, in seconds, for two phases, each by itself: from a client's connection to the first line of the request, and from that line to
    /// the end of the request.
    public var requestTimeout = 30.0
    /// The maximum idle time of a connection between an answer and the first line of the next request, in seconds (RFC 9112, section 9.5).
    public var keepAliveTimeout = 120.0
    /// The time, in seconds, in which a client must receive an HTTP answer.
    public var responseTimeout = 120.0
    /// The time, in seconds, after which an event stream is closed if data waits for its client and the client does not read.
    public var stalledStreamTimeout = 60.0
    /// The time, in seconds, in which a client must receive the last bytes of a connection that the server ends, and close its side.
    var farewellTimeout = 2.0
    /// The function that receives libmicrohttpd's messages, one line for each failed connection. It is called on the server's threads.
    public var log: @Sendable (String) -> Void = { _ in }

    public init(address: ListenAddress) { self.address = address }
}
