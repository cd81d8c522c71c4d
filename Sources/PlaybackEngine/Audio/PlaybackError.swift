/// What went wrong with a medium or an output, for a person and for a program.
public struct PlaybackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Open to new codes, closed to typos. The raw value is stable: the remote API shows it.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let fileNotFound = Code(rawValue: "fileNotFound")
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The location is a directory, a device or something else that holds no bytes to play.
        public static let notAFile = Code(rawValue: "notAFile")
        public static let emptyFile = Code(rawValue: "emptyFile")
        /// No demuxer or decoder for it, or not a media file at all.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// A media file without sound.
        public static let noAudio = Code(rawValue: "noAudio")
        /// It began like a media file and cannot be decoded.
        public static let corruptMedia = Code(rawValue: "corruptMedia")
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// The address may not be opened (private network, forbidden protocol inside a playlist).
        public static let addressNotAllowed = Code(rawValue: "addressNotAllowed")
        /// A server could not be reached, or answered with an error.
        public static let network = Code(rawValue: "network")
        public static let cancelled = Code(rawValue: "cancelled")
        /// The medium cannot be sought.
        public static let notSeekable = Code(rawValue: "notSeekable")
        /// The sound output could not be opened or was lost.
        public static let outputUnavailable = Code(rawValue: "outputUnavailable")
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// Too much of its kind is under way, or the system gives no further thread. The same may work later.
        public static let busy = Code(rawValue: "busy")
        public static let unknown = Code(rawValue: "unknown")

        /// Lets `catch PlaybackError.Code.fileNotFound` match.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PlaybackError)?.code == code }
    }
    /// The error of the C library below, where there is one.
    public struct Underlying: Sendable, Hashable {
        /// `FFmpeg`, `PulseAudio`, `POSIX`.
        public var domain: String
        public var code: Int
        public var message: String
        public init(domain: String, code: Int, message: String) { self.domain = domain; self.code = code; self.message = message }
    }

    public var code: Code
    /// One sentence that a person understands, without a path that they did not give.
    public var message: String
    public var underlying: Underlying?

    public init(_ code: Code, _ message: String, underlying: Underlying? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    public var description: String {
        if let underlying { "\(message) (\(underlying.domain) \(underlying.code): \(underlying.message))" } else { message }
    }
}
