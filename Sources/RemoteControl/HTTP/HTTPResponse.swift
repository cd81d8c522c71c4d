/// An answer to an HTTP request. The body of an answer is either complete or a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Without an announced end. With status 101, the stream is a `DuplexStream`, which owns the connection from then on.
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

/// One client's event stream, which the server reads when the client's socket is writable: `open`, any number of `read`, `close`, from one thread; a
/// `close` without `open` may be on another thread. The body has no length and no chunks, and ends with the connection.
public protocol EventStream: AnyObject, Sendable {
    /// Receives the function that wakes the server, before the first `read`. The stream calls it, from any thread, if bytes may have become available
    /// after `read` returned 0. Calls are cheap, and several may have the effect of one; `HTTPHandler.serverDidStart` has one for all streams.
    func open(wake: @escaping @Sendable () -> Void)
    /// Copies as many bytes as are available and fit. Returns 0 if none are available now, and nil at the end; the server then closes the connection.
    /// The buffer has at least 4,096 bytes. While the client does not receive, `read` is not called, so the stream should store little.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Called once, when the client has disconnected or not read for too long, or the server stops; no `read` follows. Without a preceding `open`, as
    /// for `HEAD`, it may be on another thread.
    func close()
}

/// An event stream that also receives its client's bytes, on a connection that has switched its protocol (RFC 9110, section 7.8).
///
/// After `read` has returned nil, the server still discards the client's bytes for a short time, because otherwise the last sent bytes could be lost.
public protocol DuplexStream: EventStream {
    /// The bytes are valid during the call, which is between two of `read`, on the same thread.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// While false, the server does not read, so TCP makes the client wait. Read on the thread of `read`, and again after `wake`.
    var wantsInput: Bool { get }
}
