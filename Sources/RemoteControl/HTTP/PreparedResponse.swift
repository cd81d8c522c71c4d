/// A complete answer to frequent requests, which the handler prepares once.
///
/// The server caches the form in which it sends the answer, and uses the object's identity as the key. So a handler returns the same object while the
/// answer is the same, and a new object after it has changed. The server retains a few of these objects, so one may live longer than its answer is
/// valid.
public final class PreparedResponse: Sendable {
    public let status: Int
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
