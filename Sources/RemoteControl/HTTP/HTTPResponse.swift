/// An answer, complete or as a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// An endless body that `EventStream` fills.
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
/// For implementers: calls come from the server's thread, one at a time for each stream. `wake` is called, from any thread, when bytes may have
/// become available after `read` returned 0; it must be cheap, may be spurious, and the server coalesces it.
public protocol EventStream: AnyObject, Sendable {
    /// Tells the server's way to be woken. Called once, before the first `read`.
    func open(wake: @escaping @Sendable () -> Void)
    /// Copies the next bytes; 0 where there are none now; nil where the stream is over (the connection is closed).
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// The client is gone or the server stops. Called once; no `read` follows.
    func close()
}

/// Answers requests. `RemoteAPI` is the real one.
public protocol HTTPHandler: Sendable {
    /// Answers a request: at once, on the caller's thread, by returning a response; or later, by returning nil and calling `completion` exactly once
    /// from any thread. Must not block.
    func respond(to request: HTTPRequest, completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse?
    /// An early word on a request whose body has not been read: a response refuses it without reading on (too large, wrong type, forbidden Host).
    func precheck(_ request: HTTPRequest, contentLength: Int?) -> HTTPResponse?
}
