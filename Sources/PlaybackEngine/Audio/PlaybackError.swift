import Glibc
package import Platform

/// The failure of a medium or an output, described for users and for programs.
public struct PlaybackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Other modules of the package may define further codes. A raw value never changes, because the remote API publishes it.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let fileNotFound = Code(rawValue: "fileNotFound")
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The path leads to a directory, a device or another object that contains no media data.
        public static let notAFile = Code(rawValue: "notAFile")
        public static let emptyFile = Code(rawValue: "emptyFile")
        /// No demuxer or decoder supports the medium, or the file is not a media file.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// The medium contains no audio stream.
        public static let noAudio = Code(rawValue: "noAudio")
        /// A file begins like a media file but cannot be decoded.
        public static let corruptMedia = Code(rawValue: "corruptMedia")
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// The address of a medium may not be opened, for example because it belongs to a private network.
        public static let addressNotAllowed = Code(rawValue: "addressNotAllowed")
        /// The server of a remote medium could not be reached, or responded with an error.
        public static let network = Code(rawValue: "network")
        public static let cancelled = Code(rawValue: "cancelled")
        /// The medium does not support seeking.
        public static let notSeekable = Code(rawValue: "notSeekable")
        /// The output could not be opened, or was lost.
        public static let outputUnavailable = Code(rawValue: "outputUnavailable")
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// Too many operations of one kind are in progress, or the system creates no further thread. A later attempt of the refused operation may
        /// succeed.
        public static let busy = Code(rawValue: "busy")
        /// The operation took longer than its time limit.
        public static let timedOut = Code(rawValue: "timedOut")
        public static let unknown = Code(rawValue: "unknown")

        /// All codes of failures that this package defines.
        public static let all: [Code] = [
            fileNotFound, permissionDenied, notAFile, emptyFile, unsupportedFormat, noAudio, corruptMedia, unsupportedScheme, addressNotAllowed,
            network, cancelled, notSeekable, outputUnavailable, outOfMemory, busy, timedOut, unknown,
        ]

        /// Matches a thrown error by its code, so that `catch PlaybackError.Code.fileNotFound` works.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PlaybackError)?.code == code }
    }
    /// The error of a C library or of a system call that caused a failure.
    public struct Underlying: Sendable, Hashable {
        /// The name of the library or system that reported the error: `FFmpeg`, `PulseAudio` or `POSIX`.
        public var domain: String
        public var code: Int
        public var message: String
        public init(domain: String, code: Int, message: String) { self.domain = domain; self.code = code; self.message = message }
    }

    public var code: Code
    /// The sentence that describes the failure to users. The sentence contains no path that the user has not provided.
    public var message: String
    /// The finer kind of the failure of a remote medium, or of a content that is no medium; nil for other failures.
    public var reason: Reason?
    public var underlying: Underlying?
    /// The playlist that was found instead of a medium; nil for other failures.
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

    /// Returns the error (`busy`) for a thread that the system refused to create.
    package static func noThread(_ error: SystemError) -> PlaybackError {
        PlaybackError(.busy, "The system could not create another thread.", underlying: Underlying(errno: error.code))
    }
}

extension PlaybackError.Underlying {
    /// Makes the underlying error of a failed system call from its `errno`: the error number and the system's sentence, in the domain "POSIX".
    package init(errno code: Int32) { self.init(domain: "POSIX", code: Int(code), message: String(cString: strerror(code))) }
}
