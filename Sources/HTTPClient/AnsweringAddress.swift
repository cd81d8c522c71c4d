import Synchronization

/// The URL that has answered the last request for a medium, and what the reader of a playlist must know about it: relative references are resolved
/// against this URL, and they may lead to private addresses only if it was not public. Any thread may use it.
package final class AnsweringAddress: Sendable {
    package struct Value: Sendable {
        /// The URL after redirects. It contains the user and the password of the original URL if both URLs have the same origin.
        package var url: String
        /// Whether a public address was reached, over any connection for the medium.
        package var isPublic: Bool
        /// The content type that the server states; nil if it states none.
        package var contentType: String?
    }
    private let stored = Mutex<Value?>(nil)

    package init() {}

    package var value: Value? { stored.withLock { $0 } }
    func set(_ value: Value) { stored.withLock { $0 = value } }
}

extension RemoteURL {
    /// The URL as text, without a fragment.
    /// - Parameter credentials: The user and the password; nil for none.
    func text(credentials: String?) -> String { (isSecure ? "https://" : "http://") + (credentials.map { $0 + "@" } ?? "") + authority + target }
}
