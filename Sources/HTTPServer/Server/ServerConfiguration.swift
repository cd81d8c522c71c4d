/// The settings of an HTTP server.
public struct ServerConfiguration: Sendable {
    public var address: ListenAddress
    /// In bytes; a larger body gets status 413.
    public var maximumBodySize = 1 << 20
    /// In bytes; a larger head gets status 431.
    public var maximumHeadSize = 16 << 10
    /// Nil for as many as the limit of descriptors permits.
    public var maximumConnections: Int?
    /// From an IPv4 address, or a /64 network of IPv6. Loopback addresses and proxies have their own limits.
    public var maximumConnectionsPerNetwork = 64
    /// Each; nil for no limit. Useful if a proxy on this machine connects for other clients.
    public var maximumConnectionsOfLoopback: Int?
    /// On another machine (`isProxy`).
    public var maximumConnectionsOfProxy = 1024
    /// Connects for other clients. Called on the server's threads, at each new connection.
    public var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
    /// In seconds, each: from the connection to the first line of the request, and from there to its end.
    public var requestTimeout = 30.0
    /// Between requests, in seconds (RFC 9112, section 9.5).
    public var keepAliveTimeout = 120.0
    /// To receive an answer, in seconds.
    public var responseTimeout = 120.0
    /// In seconds; data waits and the client does not read.
    public var stalledStreamTimeout = 60.0
    /// In seconds, for last bytes and the client's close.
    var farewellTimeout = 2.0
    /// libmicrohttpd's messages, one line for each failed connection, on the server's threads.
    public var log: @Sendable (String) -> Void = { _ in }

    public init(address: ListenAddress) { self.address = address }
}
