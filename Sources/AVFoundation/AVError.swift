public import Foundation
public import PlaybackEngine

public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// An error of assets, items and players, with Apple's code if there is one. `NSUnderlyingErrorKey` in `userInfo` has the error that caused it, a
/// `PlaybackError` if the engine reported it.
public struct AVError: Error, CustomNSError, LocalizedError, Sendable {
    /// The codes of Apple's AVError.h; others are possible.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let unknown = Code(rawValue: -11800)
        public static let outOfMemory = Code(rawValue: -11801)
        public static let mediaServicesWereReset = Code(rawValue: -11819)
        public static let decodeFailed = Code(rawValue: -11821)
        public static let invalidSourceMedia = Code(rawValue: -11822)
        public static let fileFormatNotRecognized = Code(rawValue: -11828)
        public static let fileFailedToParse = Code(rawValue: -11829)
        public static let contentIsProtected = Code(rawValue: -11831)
        public static let decoderNotFound = Code(rawValue: -11833)
        public static let contentIsNotAuthorized = Code(rawValue: -11835)
        public static let operationNotSupportedForAsset = Code(rawValue: -11838)
        public static let operationInterrupted = Code(rawValue: -11847)
        public static let failedToLoadMediaData = Code(rawValue: -11849)
        public static let serverIncorrectlyConfigured = Code(rawValue: -11850)
        public static let contentIsUnavailable = Code(rawValue: -11863)
        public static let formatUnsupported = Code(rawValue: -11864)
        public static let noLongerPlayable = Code(rawValue: -11867)
        public static let operationCancelled = Code(rawValue: -11878)

        /// Lets `catch AVError.Code.operationCancelled` match an error.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? AVError)?.code == code }
    }

    public let code: Code
    /// A sentence for users.
    public let message: String
    /// The error that caused this error, as the engine or a C library reported it.
    public let underlying: PlaybackError?

    public init(_ code: Code, message: String, underlying: PlaybackError? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    public static var errorDomain: String { AVFoundationErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { message }
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
    /// The same as `message`.
    public var localizedDescription: String { message }

    static let cancelled = AVError(.operationCancelled, message: "Loading was cancelled.")
}

extension PlaybackError {
    /// The error that Apple's player reports: a `URLError` if the cause is the URL, its server or the network, otherwise an `AVError` (R-KEY-12).
    var asAVFoundationError: any Error {
        switch code {
        case .fileNotFound: urlError(.fileDoesNotExist)
        case .notAFile: urlError(.fileIsDirectory)
        case .permissionDenied: urlError(reason?.urlErrorCode ?? .noPermissionsToReadFile)
        case .emptyFile: urlError(.zeroByteResource)
        case .unsupportedScheme: urlError(.unsupportedURL)
        case .network: urlError(reason?.urlErrorCode ?? .cannotConnectToHost)
        case .addressNotAllowed: AVError(.contentIsNotAuthorized, message: message, underlying: self)
        case .unsupportedFormat, .noAudio: AVError(.fileFormatNotRecognized, message: message, underlying: self)
        case .corruptMedia: AVError(.fileFailedToParse, message: message, underlying: self)
        case .cancelled: AVError(.operationCancelled, message: message, underlying: self)
        case .notSeekable: AVError(.operationNotSupportedForAsset, message: message, underlying: self)
        case .outputUnavailable: AVError(.mediaServicesWereReset, message: message, underlying: self)
        case .outOfMemory: AVError(.outOfMemory, message: message, underlying: self)
        default: AVError(.unknown, message: message, underlying: self)
        }
    }

    private func urlError(_ code: URLError.Code) -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, NSUnderlyingErrorKey: self]
        info[NSLocalizedRecoverySuggestionErrorKey] = reason?.advice
        return URLError(code, userInfo: info)
    }

    /// The playback error behind `error`: `error` itself or the one that it wraps; otherwise a new one with its description.
    package init(describing error: any Error) {
        if let error = error as? PlaybackError {
            self = error
        } else if let error = error as? AVError {
            self = error.underlying ?? PlaybackError(error.code == .operationCancelled ? .cancelled : .unknown, error.message)
        } else if let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? PlaybackError {
            self = cause
        } else {
            self = PlaybackError(.unknown, error.localizedDescription)
        }
    }
}

extension PlaybackError.Reason {
    /// The code with the same meaning in Apple's documentation of `URLError.Code`.
    fileprivate var urlErrorCode: URLError.Code {
        switch self {
        case .hostNotFound: .cannotFindHost
        case .cannotConnect: .cannotConnectToHost
        case .connectionLost: .networkConnectionLost
        case .noAnswer: .timedOut
        case .badResponse: .badServerResponse
        case .unavailable, .changed: .resourceUnavailable
        case .notMedium: .cannotDecodeContentData
        case .tooManyRedirects: .httpTooManyRedirects
        case .authenticationRequired: .userAuthenticationRequired
        case .secureConnectionFailed: .secureConnectionFailed
        case .certificateInvalid: .serverCertificateUntrusted
        case .certificateExpired: .serverCertificateHasBadDate
        case .certificateNotYetValid: .serverCertificateNotYetValid
        case .certificateUnknownIssuer: .serverCertificateHasUnknownRoot
        }
    }
}
