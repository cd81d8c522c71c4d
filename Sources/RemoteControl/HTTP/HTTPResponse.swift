/// An answer, complete or as a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// An endless body that `EventStream` fills; with status 101 a `DuplexStream`, and the connection is its from then on.
        case events(any EventStream)
    }
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: Body

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }
    public init(status: Int, headers: [(name: String, value: String)], events: any EventStream) {
        self.status = status
        self.headers = headers
        self.body = .events(events)
    }
}

/// The bytes of one client's event stream, pulled by the server when the client's socket has room.
///
/// For implementers: calls come from one thread of the server, one at a time for each stream. The body has no framing: it ends when the connection
/// does.
public protocol EventStream: AnyObject, Sendable {
    /// Tells the way to wake the server. Called once, before the first `read`.
    ///
    /// Call `wake`, from any thread, when bytes may have become available after `read` returned 0; it is cheap, may be spurious, and is coalesced.
    /// To wake every stream at once there is `HTTPHandler.serverDidStart`.
    func open(wake: @escaping @Sendable () -> Void)
    /// Copies the next bytes, as many as there are and fit; 0 where there are none now; nil where the stream is over (the connection is closed).
    /// The buffer has room for at least 4,096 bytes. While a client takes nothing, nothing is read: what it misses is for the stream to coalesce.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// The client is gone, reads nothing for too long, or the server stops. Called once; no `read` follows. It comes without `open` where the client
    /// left before its stream began, or asked with `HEAD`.
    func close()
}

/// An event stream whose client talks back: a connection that has changed its protocol (RFC 9110, section 7.8).
///
/// The server sends what `read` gives and hands over what the client sends, byte for byte. When `read` returns nil, the server says no more, and drops
/// what the client still sends, for a moment, so that the last bytes arrive.
public protocol DuplexStream: EventStream {
    /// Takes bytes from the client; they are valid during the call. Called between two calls of `read`, by the same thread.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Whether more is to be received; asked by the same thread. While not, the client's bytes stay where they are, and the client has to wait; `wake` makes the server ask again.
    var wantsInput: Bool { get }
}

/// Answers requests. `RemoteAPI` is the real one.
///
/// The server has already refused what is no proper HTTP/1.1 (`problem(for:)`): there is exactly one `Host`, at most one `Content-Length`, never
/// together with `Transfer-Encoding`, the target starts with `/`, is printable ASCII and decodes to no NUL. Any method that is a token comes through.
/// A response's `Content-Length`, `Transfer-Encoding` and `Date` are the server's. It sends no body to `HEAD` nor with 304, but does send the body's
/// length: give the body that `GET` would have had.
public protocol HTTPHandler: Sendable {
    /// Answers a request: at once, on the caller's thread, by returning a response; or later, by returning nil and calling `completion` exactly once
    /// from any thread. Must not block. A completion that is dropped uncalled closes the connection.
    func respond(to request: HTTPRequest, completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse?
    /// An early word on a request whose body has not been read: a response refuses it without reading on (too large, wrong type, forbidden Host).
    /// Asked only if a body is announced: `contentLength` is its size in bytes.
    func precheck(_ request: HTTPRequest, contentLength: Int) -> HTTPResponse?

    /// The answer to a request without body where it is kept ready; nil, the default, where `respond` is to be asked. Must not block.
    ///
    /// For hot reads: it runs for every request without body, makes no strings, and has to make the same checks that `respond` makes.
    func prepared(for head: HTTPRequestHead) -> PreparedResponse?
    /// Counts what clients have sent, from its first byte until it is answered. Asked for once, when the server is made; by default 16 MiB, 4 MiB a network.
    var received: MemoryBudget { get }
    /// Counts the answers that clients have not read yet. Asked for once, when the server is made; by default 64 MiB, 16 MiB a network.
    var unread: MemoryBudget { get }
    /// The body of an error that the server itself has to report. By default `HTTPRefusal.response`.
    func problem(for refusal: HTTPRefusal) -> HTTPResponse
    /// Called once, before the first request. `wakeEvents` wakes every open event stream, from any thread, at the cost of waking one: the server's
    /// own thread then reads them all. By default nothing happens.
    func serverDidStart(wakeEvents: @escaping @Sendable () -> Void)
}

extension HTTPHandler {
    public func prepared(for head: HTTPRequestHead) -> PreparedResponse? { nil }
    public var received: MemoryBudget { MemoryBudget(total: 16 << 20, share: 4 << 20) }
    public var unread: MemoryBudget { MemoryBudget(total: 64 << 20, share: 16 << 20) }
    public func problem(for refusal: HTTPRefusal) -> HTTPResponse { refusal.response }
    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) {}
}
