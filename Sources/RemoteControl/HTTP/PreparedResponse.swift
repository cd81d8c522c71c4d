/// A complete HTTP answer to frequent requests, which the handler prepares once.
///
/// The server caches the form in which it sends a prepared answer, and finds it by the identity of the `PreparedResponse`. So a handler must return
/// the same object while the answer is the same, and a new one after the answer has changed. The server retains a few of these objects, even after
/// the handler has replaced them.
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
