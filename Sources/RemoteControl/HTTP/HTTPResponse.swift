/// An answer to an HTTP request. The body of an answer is either complete or a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// A body that an `EventStream` produces, without an announced end. If the status of the answer is 101, the stream is a `DuplexStream`, which
        /// owns the connection from then on.
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

/// The bytes of one client's event stream, which the server reads when the client's socket is writable.
///
/// For implementers: the server calls `open`, then `read` any number of times, and then `close`, from one thread. A `close` without `open` may be on
/// another thread. The body of an event stream has no length and no chunks, and ends with the connection.
public protocol EventStream: AnyObject, Sendable {
    /// Receives the function that wakes the server. The server calls `open` once, before the first `read`.
    ///
    /// The stream calls `wake`, from any thread, if bytes may have become available after `read` returned 0. A call is cheap, and a call without
    /// available bytes does no harm. Several calls may have the effect of one. To wake all streams at once, the handler does not call each `wake`,
    /// but the function `wakeEvents` that `HTTPHandler.serverDidStart` has received.
    func open(wake: @escaping @Sendable () -> Void)
    /// Copies the next bytes into the buffer, as many as are available and fit, and returns the number of copied bytes. Returns 0 if no bytes are
    /// available now, and nil if the stream has ended; after nil the server closes the connection. The buffer for the bytes has at least 4,096 bytes.
    /// While the client does not receive, the server does not call `read`, so the stream should store as little as possible for that time.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Ends the stream, because the client has disconnected or has not read for too long, or because the server stops. The server calls `close` once,
    /// and does not call `read` after `close`. If the client disconnected before its stream began, or if the request was a `HEAD`, the server calls
    /// `close` without `open`, and possibly on another thread.
    func close()
}

/// An event stream that also receives bytes from its client, on a connection that has switched its protocol (RFC 9110, section 7.8).
///
/// The server sends the bytes from `read`, and passes the client's bytes on unchanged. After `read` has returned nil, the server sends nothing more.
/// For a short time, the server still reads and discards the client's bytes, because otherwise the last sent bytes could be lost.
public protocol DuplexStream: EventStream {
    /// Receives bytes from the client, which are valid only during the call. The server calls `receive` between two calls of `read`, on the same
    /// thread.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Whether the stream accepts more bytes now. While `wantsInput` is false, the server does not read the client's bytes, so TCP makes the client
    /// wait. The server reads `wantsInput` on the thread of `read`, and again after a call of `wake`.
    var wantsInput: Bool { get }
}

/// Admits requests by their heads, and answers the admitted requests. `RemoteAPI` is the handler of the program.
///
/// The server has already refused everything that is not valid HTTP/1.1, with the answer of `problem(for:)`. A request has exactly one `Host`, and at
/// most one `Content-Length`, never together with `Transfer-Encoding`. Its target starts with `/`, is printable ASCII and decodes to no NUL. Its
/// method may be any token.
///
/// The server sets a response's `Content-Length`, `Transfer-Encoding` and `Date`. For `HEAD` and 304 the server sends the length of the body without
/// the body, so a handler returns the body that `GET` would have.
public protocol HTTPHandler: Sendable {
    /// Checks the head of a request: everything that does not depend on the content of the body. The server calls `admit` once for each request.
    /// Must not block.
    ///
    /// - Parameters:
    ///   - request: The request, without its body.
    ///   - contentLength: The announced length of the body, in bytes; 0 if the request has no body.
    func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission

    /// The memory budget for the bodies of requests, from their admission until they are answered. The server reads the property once, when the
    /// server is created. By default 16 MiB, of which one network may use 4 MiB.
    var received: MemoryBudget { get }
    /// The memory budget for answers that clients have not read. The server reads the property once, when the server is created. By default 64 MiB,
    /// of which one network may use 16 MiB.
    var unread: MemoryBudget { get }
    /// Returns the answer for an error that the server itself detects. The default implementation returns `HTTPRefusal.response`.
    func problem(for refusal: HTTPRefusal) -> HTTPResponse
    /// Handles the start of the server, which calls this function once, before the first request. The default implementation does nothing.
    ///
    /// - Parameter wakeEvents: The function that wakes every open event stream at the cost of waking one, from any thread: the server's own thread
    ///   reads all streams after the call.
    func serverDidStart(wakeEvents: @escaping @Sendable () -> Void)
}

extension HTTPHandler {
    /// Answers a complete request like `AdmittedRequest.respond` if the request is admitted; otherwise returns the refusal.
    public func respond(to request: HTTPRequest, completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse? {
        switch admit(request, contentLength: request.body.count) {
        case .admitted(let admitted): admitted.respond(body: request.body, completion: completion)
        case .refused(let response): response
        }
    }

    public var received: MemoryBudget { MemoryBudget(total: 16 << 20, share: 4 << 20) }
    public var unread: MemoryBudget { MemoryBudget(total: 64 << 20, share: 16 << 20) }
    public func problem(for refusal: HTTPRefusal) -> HTTPResponse { refusal.response }
    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) {}
}
