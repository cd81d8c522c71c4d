public import Foundation

extension AVAudioSession.ErrorCode: LocalizedError, CustomNSError {
    public static var errorDomain: String { "NSOSStatusErrorDomain" }
    public var errorCode: Int { rawValue }
    public var errorDescription: String? {
        switch self {
        case .badParam: "The category, the mode and the options do not go together."
        case .insufficientPriority: "Something more important makes sound now."
        case .cannotInterruptOthers: "Other programs may not be interrupted now."
        case .incompatibleCategory: "The category does not allow this."
        case .isBusy: "The session was deactivated while sound was playing; the sound has been stopped."
        case .mediaServicesFailed: "The sound server is gone."
        case .sessionNotActive: "The session is not active."
        case .unspecified: "The session failed."
        }
    }
}
