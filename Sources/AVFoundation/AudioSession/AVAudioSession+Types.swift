public import Foundation

extension AVAudioSession {
    /// What kind of audio the program plays or records (R-SES-01…06).
    public struct Category: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The category of audio that mixes with other programs (R-SES-01).
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// The default category (R-SES-02, R-SES-07).
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// The category of music, podcasts and other media (R-SES-03).
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")

        static let all: Set<Category> = [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute]
    }

    /// The purpose within the category (R-SES-10, R-SES-11).
    public struct Mode: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")

        /// The categories in which the mode is allowed (R-SES-10); nil if the mode is unknown.
        var categories: Set<Category>? {
            switch self {
            case .default: Category.all
            case .voiceChat, .videoChat, .gameChat: [.playAndRecord]
            case .videoRecording: [.record, .playAndRecord]
            case .measurement: [.playback, .record, .playAndRecord]
            case .moviePlayback, .spokenAudio: [.playback]
            case .voicePrompt: [.playback, .playAndRecord]
            default: nil
            }
        }
    }

    /// How the audio combines with that of other programs (R-SES-12).
    public struct CategoryOptions: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)

        static let known: CategoryOptions = [
            .mixWithOthers, .duckOthers, .allowBluetooth, .defaultToSpeaker, .interruptSpokenAudioAndMixWithOthers, .allowBluetoothA2DP,
            .allowAirPlay, .overrideMutedMicrophoneInterruption,
        ]

        /// The options that a category allows (R-SES-13…15).
        static func allowed(in category: Category) -> CategoryOptions {
            switch category {
            case .ambient: [.mixWithOthers, .duckOthers]
            case .playback: [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .allowBluetoothA2DP, .allowAirPlay]
            case .record: [.allowBluetooth, .overrideMutedMicrophoneInterruption]
            case .playAndRecord: known
            case .multiRoute: [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
            default: []
            }
        }
    }

    /// How the route is shared with other programs (R-SES-16).
    public enum RouteSharingPolicy: UInt, Sendable {
        case `default` = 0, longFormAudio = 1, independent = 2, longFormVideo = 3
    }

    /// The options of `setActive`.
    public struct SetActiveOptions: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Only allowed with `setActive(false)` (R-SES-23).
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Apple's codes: four ASCII characters, except `badParam` (R-SES-20).
    public enum ErrorCode: Int, Error, Sendable {
        case badParam = -50
        case insufficientPriority = 0x2170_7269
        case cannotInterruptOthers = 0x2169_6E74
        case incompatibleCategory = 0x2163_6174
        case isBusy = 0x2161_6374
        case mediaServicesFailed = 0x6D73_7276
        case sessionNotActive = 0x696E_6163
        case unspecified = 0x7768_6174
    }

    /// The phase of an interruption; as in Apple's headers, `began` is 1 (R-INT-01).
    public enum InterruptionType: UInt, Sendable { case ended = 0, began = 1 }

    /// The options at the end of an interruption.
    public struct InterruptionOptions: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Set if playback should resume; otherwise it should stay paused (R-INT-03).
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The cause of an interruption (R-INT-04).
    public enum InterruptionReason: UInt, Sendable { case `default` = 0, appWasSuspended = 1, builtInMicMuted = 2, routeDisconnected = 4 }

    /// The cause of a route change (R-ROUTE-01).
    public enum RouteChangeReason: UInt, Sendable {
        case unknown = 0, newDeviceAvailable = 1, oldDeviceUnavailable = 2, categoryChange = 3, override = 4, wakeFromSleep = 6
        case noSuitableRouteForCategory = 7, routeConfigurationChange = 8
    }

    /// Posted on the main queue, at the beginning and the end (R-INT-01).
    public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
    /// Posted on another thread than the main thread, after the players have reacted (R-ROUTE-02).
    public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
    /// Posted on the main queue when the output of the first player is lost, for example with the sound server (R-MSR-01).
    public static let mediaServicesWereLostNotification = Notification.Name("AVAudioSessionMediaServicesWereLostNotification")
    /// Posted on the main queue when all players that had lost their outputs have one again. Players and items have stayed usable (R-MSR-01).
    public static let mediaServicesWereResetNotification = Notification.Name("AVAudioSessionMediaServicesWereResetNotification")
    /// Posted on the main queue when the sound server asks the first player to make way for another program, and when that has ended (R-HINT-01).
    public static let silenceSecondaryAudioHintNotification = Notification.Name("AVAudioSessionSilenceSecondaryAudioHintNotification")

    /// Whether secondary audio should be silent; as in Apple's headers, `begin` is 1 (R-HINT-01).
    public enum SilenceSecondaryAudioHintType: UInt, Sendable { case end = 0, begin = 1 }
}

/// The key of an `InterruptionType.RawValue` (`UInt`).
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The key of an `InterruptionOptions.RawValue` (`UInt`), only when an interruption ends.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The key of an `InterruptionReason.RawValue` (`UInt`), only when an interruption begins (R-INT-04).
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// The key of a `RouteChangeReason.RawValue` (`UInt`).
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// The key of the former route, an `AVAudioSessionRouteDescription` (R-ROUTE-01).
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
/// The key of a `SilenceSecondaryAudioHintType.RawValue` (`UInt`).
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

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
