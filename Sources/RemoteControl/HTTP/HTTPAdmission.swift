/// The result of the check of a request's head.
public enum HTTPAdmission: Sendable {
    /// The request may be carried out. Its body is read, and then it is answered.
    case admitted(any AdmittedRequest)
    /// The request is refused, without reading its body.
    case refused(HTTPResponse)
}

/// A request whose head was admitted. Its method, target, fields and client cannot change any more; only its body is added.
public protocol AdmittedRequest: Sendable {
    /// Answers the request: immediately, on the caller's thread, by returning a response; or later, by returning nil and calling `completion` exactly
    /// once from any thread. Must not block. A completion that is released without a call closes the connection.
    ///
    /// - Parameter body: the whole body, of the announced length.
    func respond(body: [UInt8], completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse?
}
