/// An answer: complete, or a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// An endless body from an `EventStream`. With status 101 it is a `DuplexStream`, which then owns the connection.
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

/// The bytes of one client's event stream. The server reads them when the client's socket is writable.
///
/// For implementers: calls come from one thread of the server, one at a time for each stream. The body is unframed and ends with the connection.
public protocol EventStream: AnyObject, Sendable {
    /// Passes the function that wakes the server. Called once, before the first `read`.
    ///
    /// Call `wake`, from any thread, when bytes may have become available after `read` returned 0. It is cheap, may be spurious, and is coalesced. To
    /// wake all streams at once, use `HTTPHandler.serverDidStart`.
    func open(wake: @escaping @Sendable () -> Void)
    /// Copies the next bytes, as many as are available and fit. Returns 0 if there are none now, nil if the stream is over (the connection is
    /// closed). The buffer has at least 4,096 bytes. Nothing is read while the client does not receive, so the stream must coalesce what it misses.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Ends the stream: the client has disconnected or reads nothing for too long, or the server stops. Called once; no `read` follows. It is called
    /// without `open` if the client disconnected before its stream began, or sent a `HEAD` request.
    func close()
}

/// An event stream that also receives from its client, on a connection that has switched its protocol (RFC 9110, section 7.8).
///
/// The server sends the bytes from `read` and passes on the client's bytes unchanged. After `read` returned nil, the server sends nothing more. For a
/// moment it discards what the client still sends, so that the last bytes arrive.
public protocol DuplexStream: EventStream {
    /// Receives bytes from the client, which are valid during the call. Called between two calls of `read`, by the same thread.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Whether more bytes are accepted; read by the same thread. While false, the client's bytes are not read, so TCP makes it wait. `wake` makes the
    /// server ask again.
    var wantsInput: Bool { get }
}

/// Admits requests by their heads and answers those that it has admitted. `RemoteAPI` is the production implementation.
///
/// The server has already refused everything that is not valid HTTP/1.1 (`problem(for:)`): there is exactly one `Host`, at most one `Content-Length`,
/// never together with `Transfer-Encoding`; the target starts with `/`, is printable ASCII and decodes to no NUL. The method may be any token. The
/// server sets a response's `Content-Length`, `Transfer-Encoding` and `Date`. For `HEAD` and 304 it sends the length of the body without the body, so
/// return the body that `GET` would have.
public protocol HTTPHandler: Sendable {
    /// Checks the head of a request: everything that does not depend on the content of its body. The admitted request is answered without a second
    /// check. Called once for each request without a prepared answer. Must not block.
    ///
    /// - Parameters:
    ///   - request: the request without its body.
    ///   - contentLength: the announced size of the body, in bytes; 0 if there is none.
    func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission

    /// Returns the prepared answer to a request without body; nil, the default, if `admit` must be called. Must not block.
    ///
    /// For frequent reads: it is called for every request without body, creates no strings, and must make the same checks as `admit`.
    func prepared(for head: HTTPRequestHead) -> PreparedResponse?
    /// The budget for clients' data, from its first byte to its answer. Read once, when the server is created; by default 16 MiB, 4 MiB a network.
    var received: MemoryBudget { get }
    /// The budget for answers that clients have not read. Read once, when the server is created; by default 64 MiB, 16 MiB a network.
    var unread: MemoryBudget { get }
    /// Returns the answer for an error that the server itself detects. By default `HTTPRefusal.response`.
    func problem(for refusal: HTTPRefusal) -> HTTPResponse
    /// Called once, before the first request. `wakeEvents` wakes every open event stream, from any thread, at the cost of waking one: the server's
    /// own thread then reads them all. Does nothing by default.
    func serverDidStart(wakeEvents: @escaping @Sendable () -> Void)
}

extension HTTPHandler {
    /// Answers a complete request, if it is admitted, like `AdmittedRequest.respond`.
    public func respond(to request: HTTPRequest, completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse? {
        switch admit(request, contentLength: request.body.count) {
        case .admitted(let admitted): admitted.respond(body: request.body, completion: completion)
        case .refused(let response): response
        }
    }

    public func prepared(for head: HTTPRequestHead) -> PreparedResponse? { nil }
    public var received: MemoryBudget { MemoryBudget(total: 16 << 20, share: 4 << 20) }
    public var unread: MemoryBudget { MemoryBudget(total: 64 << 20, share: 16 << 20) }
    public func problem(for refusal: HTTPRefusal) -> HTTPResponse { refusal.response }
    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) {}
}
