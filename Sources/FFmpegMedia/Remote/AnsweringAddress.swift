import Synchronization

/// The address that has answered the last request of a medium, for the reader of a playlist: the base of relative references, and the rule for
/// private addresses. Any thread may use it.
final class AnsweringAddress: Sendable {
    struct Value: Sendable {
        /// The URL after redirects. It has the user and the password of the original URL if it has the same origin.
        var url: String
        /// Whether a public address was reached.
        var isPublic: Bool
        /// The content type that the server states; nil if it states none.
        var contentType: String?
    }
    private let stored = Mutex<Value?>(nil)

    var value: Value? { stored.withLock { $0 } }
    func set(_ value: Value) { stored.withLock { $0 = value } }
}

extension RemoteURL {
    /// The URL as text, without a fragment.
    /// - Parameter credentials: The user and the password; nil for none.
    func text(credentials: String?) -> String { (isSecure ? "https://" : "http://") + (credentials.map { $0 + "@" } ?? "") + authority + target }
}
