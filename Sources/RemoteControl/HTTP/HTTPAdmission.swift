/// The result of the check of a request's head.
public enum HTTPAdmission: Sendable {
    /// The server reads the body, and passes it to `AdmittedRequest.respond`.
    case admitted(any AdmittedRequest)
    /// The body is not read.
    case refused(HTTPResponse)
}

/// A request whose head was admitted. Its method, target, fields and client cannot change any more; only the body is added later.
public protocol AdmittedRequest: Sendable {
    /// Answers the admitted request. Either returns the response immediately, on the caller's thread, or returns nil and calls `completion` later,
    /// exactly once, from any thread. `respond` must not block. If `completion` is released without a call, the server closes the connection.
    ///
    /// - Parameter body: The whole body of the request, which has the announced length.
    func respond(body: [UInt8], completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse?
}
