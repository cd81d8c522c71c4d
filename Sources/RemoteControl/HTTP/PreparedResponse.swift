/// A complete answer that many requests get, kept ready by the handler.
///
/// The object is the key under which the server keeps the form that it sends: hand out the same object as long as the answer is the same, and a new
/// one when it changes. The server remembers a few, so an object may outlive its use by a while.
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
