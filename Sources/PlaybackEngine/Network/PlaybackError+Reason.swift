extension PlaybackError {
    /// Refines the `code` of a remote medium, or of a content that is no medium. A raw value never changes, because the remote API publishes it.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case hostNotFound
        /// Refused, or no network leads to the server.
        case cannotConnect
        /// The connection ended within a response.
        case connectionLost
        case noAnswer
        /// Malformed, or the status is an error.
        case badResponse
        /// Status 429 or 503.
        case unavailable
        /// Another content than at the start of playback.
        case changed
        /// For example a web page.
        case notMedium
        case tooManyRedirects
        /// By the server (status 401) or a proxy (407).
        case authenticationRequired
        /// The TLS handshake failed.
        case secureConnectionFailed
        /// For another name, revoked, or invalid in another way.
        case certificateInvalid
        case certificateExpired
        case certificateNotYetValid
        /// The issuer is not trusted.
        case certificateUnknownIssuer

        /// A sentence with the user's remedy.
        public var advice: String {
            switch self {
            case .hostNotFound: "Check the spelling of the address, and the name service (DNS) of this machine."
            case .cannotConnect: "Check that the server runs, that the port is correct, and that no firewall is between."
            case .connectionLost, .noAnswer: "Check the network of this machine and the server, and play again."
            case .badResponse: "Open the address in a browser to see the server's response."
            case .unavailable: "The server is overloaded or in maintenance: play again later."
            case .changed: "Play again to open the new content."
            case .notMedium: "Open the address in a browser: the page may show the address of the stream or file."
            case .tooManyRedirects: "Use the address to which the server redirects a browser."
            case .authenticationRequired: "Write the user and the password in the address (https://user:password@host/)."
            case .secureConnectionFailed: "Check that the server offers TLS on this port; an address with http: has no TLS."
            case .certificateInvalid: "Use the name for which the certificate was issued, or correct the certificate on the server."
            case .certificateExpired: "Renew the certificate on the server. Check the date of this machine."
            case .certificateNotYetValid: "Check the date of this machine."
            case .certificateUnknownIssuer: "If you trust the issuer, set SSL_CERT_FILE to a file with its certificate (PEM), and restart."
            }
        }
    }
}
