public import Foundation

extension AVAudioSession.ErrorCode: LocalizedError, CustomNSError {
    public static var errorDomain: String { "NSOSStatusErrorDomain" }
    public var errorCode: Int { rawValue }
    public var errorDescription: String? {
        switch self {
        case .badParam: "The category, the mode and the options cannot be combined."
        case .insufficientPriority: "Audio with a higher priority is playing."
        case .cannotInterruptOthers: "The audio of other programs cannot be interrupted now."
        case .incompatibleCategory: "The category of the audio session does not allow this operation."
        case .isBusy: "The audio session was deactivated during playback. Playback has been stopped."
        case .mediaServicesFailed: "The connection to the sound server was lost."
        case .sessionNotActive: "The audio session is not active."
        case .unspecified: "The audio session failed."
        }
    }
}
