/// A complete HTTP answer to frequent requests, which the handler prepares once.
///
/// The server caches the form in which it sends a prepared answer, and uses the identity of the `PreparedResponse` as the key. A handler must
/// therefore return the same object while the answer is the same, and a new object after the answer has changed. The server retains a few prepared
/// answers, so a prepared answer may live longer than it is valid.
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
