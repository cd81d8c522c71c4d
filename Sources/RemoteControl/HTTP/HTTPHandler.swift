/// Admits requests by their heads, and answers the admitted requests. `RemoteAPI` is the handler of the program.
///
/// The server has refused what is not valid HTTP/1.1: a request has exactly one `Host`, and at most one `Content-Length`, never together with
/// `Transfer-Encoding`. Its target starts with `/`, is printable ASCII and decodes to no NUL. Its method may be any token.
///
/// The server sets `Content-Length`, `Transfer-Encoding` and `Date`. For `HEAD` and 304 it omits the body that the handler returns.
public protocol HTTPHandler: Sendable {
    /// Checks everything that does not depend on the content of the body. Called once for each request. Must not block.
    func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission

    /// The budget for the bodies of requests, until they are answered; 16 MiB, of which one network may use 4. Read once, when the server is created.
    var received: MemoryBudget { get }
    /// The budget for answers that clients have not read; 64 MiB, of which one network may use 16. Read once, when the server is created.
    var unread: MemoryBudget { get }
    /// The answer to a request that the server itself refuses; by default `Problem.response`.
    func response(refusing problem: Problem) -> HTTPResponse
    /// States that the server has started; called once, before the first request. `wakeEvents` wakes every open event stream at the cost of waking
    /// one. It may be called on any thread.
    func serverDidStart(wakeEvents: @escaping @Sendable () -> Void)
}

extension HTTPHandler {
    public var received: MemoryBudget { MemoryBudget(total: 16 << 20, share: 4 << 20) }
    public var unread: MemoryBudget { MemoryBudget(total: 64 << 20, share: 16 << 20) }
    public func response(refusing problem: Problem) -> HTTPResponse { problem.response }
    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) {}
}

/// The result of the check of a request's head.
public enum HTTPAdmission: Sendable {
    /// The request is admitted: the server reads the body, and passes it to `AdmittedRequest.respond`.
    case admitted(any AdmittedRequest)
    /// The request is refused, and the body is not read.
    case refused(HTTPResponse)
}

/// A request whose head was admitted. Its method, target, fields and client cannot change any more; only the body is added later.
public protocol AdmittedRequest: Sendable {
    /// Answers the admitted request. Either returns the response immediately, on the caller's thread, or returns nil and calls `completion` later,
    /// exactly once, from any thread. `respond` must not block. If `completion` is released without a call, the server closes the connection.
    ///
    /// - Parameter body: The whole body of the request, which has the announced length.
    func respond(body: [UInt8], completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse?
    /// States that the client has disconnected before its answer, so that work which is only for the answer can end. May be called once, after
    /// `respond` has returned nil, on any thread. A change is carried out nevertheless.
    func abandon()
}

extension AdmittedRequest {
    public func abandon() {}
}
