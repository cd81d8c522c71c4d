/// A complete answer to frequent requests, prepared by the handler.
///
/// The object's identity is the key under which the server caches the form that it sends: return the same object while the answer is the same, and a
/// new one when it changes. The server caches a few, so an object may outlive its use for a while.
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
