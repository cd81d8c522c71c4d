extension PlaybackError {
    /// The finer kind of the failure of a remote medium, or of a content that is no medium. It refines `code`, which stays the same. A raw value
    /// never changes, because the remote API publishes it.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The server's name could not be resolved.
        case hostNotFound
        /// The server refuses connections, or no network leads to it.
        case cannotConnect
        /// The connection ended within a response.
        case connectionLost
        /// The server did not respond in time.
        case noAnswer
        /// The response is malformed, or has a status that is an error.
        case badResponse
        /// The server cannot deliver the medium at present (status 429 or 503).
        case unavailable
        /// The medium has another content than at the start of playback.
        case changed
        /// The content is something else than a medium, for example a web page.
        case notMedium
        /// The server redirects too often.
        case tooManyRedirects
        /// The server requires a user and a password (status 401), or a proxy does (407).
        case authenticationRequired
        /// The TLS handshake failed.
        case secureConnectionFailed
        /// The server's certificate belongs to another name, was revoked, or is invalid in another way.
        case certificateInvalid
        /// The server's certificate has expired.
        case certificateExpired
        /// The server's certificate is not valid yet.
        case certificateNotYetValid
        /// The issuer of the server's certificate is not trusted.
        case certificateUnknownIssuer

        /// The sentence with the user's remedy.
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
