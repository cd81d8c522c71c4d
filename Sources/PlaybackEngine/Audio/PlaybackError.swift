import Glibc
package import Platform

/// The failure of a medium or an output, described for users and for programs.
public struct PlaybackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure; other modules may define further codes. A raw value never changes, because the remote API publishes it.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let fileNotFound = Code(rawValue: "fileNotFound")
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The path leads to a directory, a device or another object without media data.
        public static let notAFile = Code(rawValue: "notAFile")
        public static let emptyFile = Code(rawValue: "emptyFile")
        /// The file is no media file, or no demuxer or decoder supports it.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        public static let noAudio = Code(rawValue: "noAudio")
        /// The file begins like a media file but cannot be decoded.
        public static let corruptMedia = Code(rawValue: "corruptMedia")
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// The address may not be opened, for example because it belongs to a private network.
        public static let addressNotAllowed = Code(rawValue: "addressNotAllowed")
        /// The server could not be reached, or responded with an error.
        public static let network = Code(rawValue: "network")
        public static let cancelled = Code(rawValue: "cancelled")
        public static let notSeekable = Code(rawValue: "notSeekable")
        /// The output could not be opened, or was lost.
        public static let outputUnavailable = Code(rawValue: "outputUnavailable")
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// Too many operations of one kind are in progress, or no further thread could be created. A later attempt may succeed.
        public static let busy = Code(rawValue: "busy")
        public static let timedOut = Code(rawValue: "timedOut")
        public static let unknown = Code(rawValue: "unknown")

        public static let all: [Code] = [
            fileNotFound, permissionDenied, notAFile, emptyFile, unsupportedFormat, noAudio, corruptMedia, unsupportedScheme, addressNotAllowed,
            network, cancelled, notSeekable, outputUnavailable, outOfMemory, busy, timedOut, unknown,
        ]

        /// Enables `catch PlaybackError.Code.fileNotFound`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PlaybackError)?.code == code }
    }
    /// The error of a C library or a system call.
    public struct Underlying: Sendable, Hashable {
        /// `FFmpeg`, `PulseAudio` or `POSIX`.
        public var domain: String
        public var code: Int
        public var message: String
        public init(domain: String, code: Int, message: String) { self.domain = domain; self.code = code; self.message = message }
    }

    public var code: Code
    /// The text for users; contains no path that the user has not provided.
    public var message: String
    /// The refinement of `code`, for a remote medium or a content that is no medium.
    public var reason: Reason?
    public var underlying: Underlying?
    /// The playlist that was found instead of a medium.
    public var list: MediaList?

    public init(_ code: Code, _ message: String, reason: Reason? = nil, underlying: Underlying? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
        self.underlying = underlying
    }

    public var description: String {
        if let underlying { "\(message) (\(underlying.domain) \(underlying.code): \(underlying.message))" } else { message }
    }
}

extension PlaybackError {
    package static var cancelled: PlaybackError { PlaybackError(.cancelled, "The operation was cancelled.") }
    package static var outOfMemory: PlaybackError { PlaybackError(.outOfMemory, "There is not enough memory for this medium.") }
    package static func noThread(_ error: SystemError) -> PlaybackError {
        PlaybackError(.busy, "The system could not create another thread.", underlying: Underlying(errno: error.code))
    }
}

extension PlaybackError.Underlying {
    /// The error of an `errno`, in the domain "POSIX".
    package init(errno code: Int32) { self.init(domain: "POSIX", code: Int(code), message: String(cString: strerror(code))) }
}

extension PlaybackError {
    /// Refines the `code` of a remote medium, or of a content that is no medium. A raw value never changes, because the remote API publishes it.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case hostNotFound
        /// The connection was refused, or no network leads to the server.
        case cannotConnect
        /// The connection ended within a response.
        case connectionLost
        case noAnswer
        /// The response is malformed, or its status is an error.
        case badResponse
        /// The status is 429 or 503.
        case unavailable
        /// The content differs from that at the start of playback.
        case changed
        /// The content is no medium, but for example a web page.
        case notMedium
        case tooManyRedirects
        /// The server (status 401) or a proxy (407) requires authentication.
        case authenticationRequired
        /// The TLS handshake failed.
        case secureConnectionFailed
        /// The certificate is for another name, revoked, or invalid in another way.
        case certificateInvalid
        case certificateExpired
        case certificateNotYetValid
        /// The issuer is not trusted.
        case certificateUnknownIssuer

        /// A sentence that tells the user what to do.
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
