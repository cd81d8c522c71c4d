public import Foundation

// The names of Swift 3 and 4, for code that uses them. The constants were texts, and have their present types here.

// MARK: Types

@available(*, deprecated, renamed: "AVPlayer.Status")
public typealias AVPlayerStatus = AVPlayer.Status
@available(*, deprecated, renamed: "AVPlayer.TimeControlStatus")
public typealias AVPlayerTimeControlStatus = AVPlayer.TimeControlStatus
@available(*, deprecated, renamed: "AVPlayer.ActionAtItemEnd")
public typealias AVPlayerActionAtItemEnd = AVPlayer.ActionAtItemEnd
@available(*, deprecated, renamed: "AVPlayerLooper.Status")
public typealias AVPlayerLooperStatus = AVPlayerLooper.Status
@available(*, deprecated, renamed: "AVAudioSession.CategoryOptions")
public typealias AVAudioSessionCategoryOptions = AVAudioSession.CategoryOptions
@available(*, deprecated, renamed: "AVAudioSession.InterruptionType")
public typealias AVAudioSessionInterruptionType = AVAudioSession.InterruptionType
@available(*, deprecated, renamed: "AVAudioSession.InterruptionOptions")
public typealias AVAudioSessionInterruptionOptions = AVAudioSession.InterruptionOptions
@available(*, deprecated, renamed: "AVAudioSession.RouteChangeReason")
public typealias AVAudioSessionRouteChangeReason = AVAudioSession.RouteChangeReason
@available(*, deprecated, renamed: "AVAudioSession.RouteSharingPolicy")
public typealias AVAudioSessionRouteSharingPolicy = AVAudioSession.RouteSharingPolicy
@available(*, deprecated, renamed: "AVAudioSession.SetActiveOptions")
public typealias AVAudioSessionSetActiveOptions = AVAudioSession.SetActiveOptions
@available(*, deprecated, renamed: "AVAudioSession.SilenceSecondaryAudioHintType")
public typealias AVAudioSessionSilenceSecondaryAudioHintType = AVAudioSession.SilenceSecondaryAudioHintType

// MARK: Constants of the audio session

@available(*, deprecated, renamed: "AVAudioSession.Category.ambient")
public let AVAudioSessionCategoryAmbient = AVAudioSession.Category.ambient
@available(*, deprecated, renamed: "AVAudioSession.Category.soloAmbient")
public let AVAudioSessionCategorySoloAmbient = AVAudioSession.Category.soloAmbient
@available(*, deprecated, renamed: "AVAudioSession.Category.playback")
public let AVAudioSessionCategoryPlayback = AVAudioSession.Category.playback
@available(*, deprecated, renamed: "AVAudioSession.Category.record")
public let AVAudioSessionCategoryRecord = AVAudioSession.Category.record
@available(*, deprecated, renamed: "AVAudioSession.Category.playAndRecord")
public let AVAudioSessionCategoryPlayAndRecord = AVAudioSession.Category.playAndRecord
@available(*, deprecated, renamed: "AVAudioSession.Category.multiRoute")
public let AVAudioSessionCategoryMultiRoute = AVAudioSession.Category.multiRoute
@available(*, deprecated, renamed: "AVAudioSession.Mode.default")
public let AVAudioSessionModeDefault = AVAudioSession.Mode.default
@available(*, deprecated, renamed: "AVAudioSession.Mode.voiceChat")
public let AVAudioSessionModeVoiceChat = AVAudioSession.Mode.voiceChat
@available(*, deprecated, renamed: "AVAudioSession.Mode.videoChat")
public let AVAudioSessionModeVideoChat = AVAudioSession.Mode.videoChat
@available(*, deprecated, renamed: "AVAudioSession.Mode.gameChat")
public let AVAudioSessionModeGameChat = AVAudioSession.Mode.gameChat
@available(*, deprecated, renamed: "AVAudioSession.Mode.videoRecording")
public let AVAudioSessionModeVideoRecording = AVAudioSession.Mode.videoRecording
@available(*, deprecated, renamed: "AVAudioSession.Mode.measurement")
public let AVAudioSessionModeMeasurement = AVAudioSession.Mode.measurement
@available(*, deprecated, renamed: "AVAudioSession.Mode.moviePlayback")
public let AVAudioSessionModeMoviePlayback = AVAudioSession.Mode.moviePlayback
@available(*, deprecated, renamed: "AVAudioSession.Mode.spokenAudio")
public let AVAudioSessionModeSpokenAudio = AVAudioSession.Mode.spokenAudio
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInSpeaker")
public let AVAudioSessionPortBuiltInSpeaker = AVAudioSession.Port.builtInSpeaker
@available(*, deprecated, renamed: "AVAudioSession.Port.headphones")
public let AVAudioSessionPortHeadphones = AVAudioSession.Port.headphones
@available(*, deprecated, renamed: "AVAudioSession.Port.lineOut")
public let AVAudioSessionPortLineOut = AVAudioSession.Port.lineOut
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothA2DP")
public let AVAudioSessionPortBluetoothA2DP = AVAudioSession.Port.bluetoothA2DP
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothHFP")
public let AVAudioSessionPortBluetoothHFP = AVAudioSession.Port.bluetoothHFP
@available(*, deprecated, renamed: "AVAudioSession.Port.HDMI")
public let AVAudioSessionPortHDMI = AVAudioSession.Port.HDMI
@available(*, deprecated, renamed: "AVAudioSession.Port.airPlay")
public let AVAudioSessionPortAirPlay = AVAudioSession.Port.airPlay
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInMic")
public let AVAudioSessionPortBuiltInMic = AVAudioSession.Port.builtInMic
@available(*, deprecated, renamed: "AVAudioSession.Port.headsetMic")
public let AVAudioSessionPortHeadsetMic = AVAudioSession.Port.headsetMic
@available(*, deprecated, renamed: "AVAudioSession.Port.lineIn")
public let AVAudioSessionPortLineIn = AVAudioSession.Port.lineIn
@available(*, deprecated, renamed: "AVAudioSession.Port.usbAudio")
public let AVAudioSessionPortUSBAudio = AVAudioSession.Port.usbAudio

// MARK: Constants of players and media

@available(*, deprecated, renamed: "AVPlayer.WaitingReason.toMinimizeStalls")
public let AVPlayerWaitingToMinimizeStallsReason = AVPlayer.WaitingReason.toMinimizeStalls
@available(*, deprecated, renamed: "AVPlayer.WaitingReason.evaluatingBufferingRate")
public let AVPlayerWaitingWhileEvaluatingBufferingRateReason = AVPlayer.WaitingReason.evaluatingBufferingRate
@available(*, deprecated, renamed: "AVPlayer.WaitingReason.noItemToPlay")
public let AVPlayerWaitingWithNoItemToPlayReason = AVPlayer.WaitingReason.noItemToPlay
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.timeDomain")
public let AVAudioTimePitchAlgorithmTimeDomain = AVAudioTimePitchAlgorithm.timeDomain
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.spectral")
public let AVAudioTimePitchAlgorithmSpectral = AVAudioTimePitchAlgorithm.spectral
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.varispeed")
public let AVAudioTimePitchAlgorithmVarispeed = AVAudioTimePitchAlgorithm.varispeed
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.lowQualityZeroLatency")
public let AVAudioTimePitchAlgorithmLowQualityZeroLatency = AVAudioTimePitchAlgorithm.lowQualityZeroLatency
@available(*, deprecated, renamed: "AVMediaType.audio")
public let AVMediaTypeAudio = AVMediaType.audio
@available(*, deprecated, renamed: "AVMediaType.video")
public let AVMediaTypeVideo = AVMediaType.video
@available(*, deprecated, renamed: "AVMediaType.text")
public let AVMediaTypeText = AVMediaType.text
@available(*, deprecated, renamed: "AVMediaCharacteristic.audible")
public let AVMediaCharacteristicAudible = AVMediaCharacteristic.audible
@available(*, deprecated, renamed: "AVMediaCharacteristic.visual")
public let AVMediaCharacteristicVisual = AVMediaCharacteristic.visual
@available(*, deprecated, renamed: "AVMediaCharacteristic.legible")
public let AVMediaCharacteristicLegible = AVMediaCharacteristic.legible
@available(*, deprecated, renamed: "AVMetadataKeySpace.common")
public let AVMetadataKeySpaceCommon = AVMetadataKeySpace.common
@available(*, deprecated, renamed: "AVMetadataKeySpace.id3")
public let AVMetadataKeySpaceID3 = AVMetadataKeySpace.id3
@available(*, deprecated, renamed: "AVMetadataKeySpace.iTunes")
public let AVMetadataKeySpaceiTunes = AVMetadataKeySpace.iTunes
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyTitle")
public let AVMetadataCommonKeyTitle = AVMetadataKey.commonKeyTitle
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyCreator")
public let AVMetadataCommonKeyCreator = AVMetadataKey.commonKeyCreator
@available(*, deprecated, renamed: "AVMetadataKey.commonKeySubject")
public let AVMetadataCommonKeySubject = AVMetadataKey.commonKeySubject
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyDescription")
public let AVMetadataCommonKeyDescription = AVMetadataKey.commonKeyDescription
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyPublisher")
public let AVMetadataCommonKeyPublisher = AVMetadataKey.commonKeyPublisher
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyContributor")
public let AVMetadataCommonKeyContributor = AVMetadataKey.commonKeyContributor
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyCreationDate")
public let AVMetadataCommonKeyCreationDate = AVMetadataKey.commonKeyCreationDate
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyType")
public let AVMetadataCommonKeyType = AVMetadataKey.commonKeyType
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyLanguage")
public let AVMetadataCommonKeyLanguage = AVMetadataKey.commonKeyLanguage
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyCopyrights")
public let AVMetadataCommonKeyCopyrights = AVMetadataKey.commonKeyCopyrights
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyAlbumName")
public let AVMetadataCommonKeyAlbumName = AVMetadataKey.commonKeyAlbumName
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyArtist")
public let AVMetadataCommonKeyArtist = AVMetadataKey.commonKeyArtist
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyArtwork")
public let AVMetadataCommonKeyArtwork = AVMetadataKey.commonKeyArtwork
@available(*, deprecated, renamed: "AVMetadataKey.commonKeySoftware")
public let AVMetadataCommonKeySoftware = AVMetadataKey.commonKeySoftware
@available(*, deprecated, renamed: "AVMetadataIdentifier.commonIdentifierTitle")
public let AVMetadataCommonIdentifierTitle = AVMetadataIdentifier.commonIdentifierTitle
@available(*, deprecated, renamed: "AVMetadataIdentifier.commonIdentifierCreator")
public let AVMetadataCommonIdentifierCreator = AVMetadataIdentifier.commonIdentifierCreator
@available(*, deprecated, renamed: "AVMetadataIdentifier.commonIdentifierAlbumName")
public let AVMetadataCommonIdentifierAlbumName = AVMetadataIdentifier.commonIdentifierAlbumName
@available(*, deprecated, renamed: "AVMetadataIdentifier.commonIdentifierArtist")
public let AVMetadataCommonIdentifierArtist = AVMetadataIdentifier.commonIdentifierArtist
@available(*, deprecated, renamed: "AVMetadataIdentifier.commonIdentifierArtwork")
public let AVMetadataCommonIdentifierArtwork = AVMetadataIdentifier.commonIdentifierArtwork

// MARK: Notifications and functions

extension Notification.Name {
    @available(*, deprecated, renamed: "AVAudioSession.interruptionNotification")
    public static let AVAudioSessionInterruption = AVAudioSession.interruptionNotification
    @available(*, deprecated, renamed: "AVAudioSession.routeChangeNotification")
    public static let AVAudioSessionRouteChange = AVAudioSession.routeChangeNotification
    @available(*, deprecated, renamed: "AVAudioSession.mediaServicesWereLostNotification")
    public static let AVAudioSessionMediaServicesWereLost = AVAudioSession.mediaServicesWereLostNotification
    @available(*, deprecated, renamed: "AVAudioSession.mediaServicesWereResetNotification")
    public static let AVAudioSessionMediaServicesWereReset = AVAudioSession.mediaServicesWereResetNotification
    @available(*, deprecated, renamed: "AVAudioSession.silenceSecondaryAudioHintNotification")
    public static let AVAudioSessionSilenceSecondaryAudioHint = AVAudioSession.silenceSecondaryAudioHintNotification
}

extension AVAudioSession {
    @available(*, deprecated, renamed: "setCategory(_:options:)")
    public func setCategory(_ category: Category, with options: CategoryOptions) throws { try setCategory(category, options: options) }

    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, with options: SetActiveOptions) throws { try setActive(active, options: options) }
}
