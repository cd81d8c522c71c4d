public import CoreMedia
import PlaybackEngine

/// What kind of media a track holds.
public struct AVMediaType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let audio = AVMediaType(rawValue: "soun")
    public static let video = AVMediaType(rawValue: "vide")
    public static let text = AVMediaType(rawValue: "text")
}

/// What a track is good for.
public struct AVMediaCharacteristic: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
    public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
    public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
}

/// A track of an asset. Only the audio track that plays is listed. Immutable: what can be loaded of it is there from the start.
public final class AVAssetTrack: Sendable {
    public let trackID: CMPersistentTrackID
    public let mediaType: AVMediaType
    /// The codec's short name. Not in Apple's vocabulary.
    public let codecName: String
    /// Frames a second of the decoded sound. Not in Apple's vocabulary.
    public let sampleRate: Double
    /// Not in Apple's vocabulary.
    public let channelCount: Int
    /// Bits a second, 0 where unknown.
    public let estimatedDataRate: Float
    /// The whole track on the asset's timeline.
    public let timeRange: CMTimeRange
    /// The one format of the track.
    public let formatDescriptions: [CMFormatDescription]
    /// Whether it should be playable, as of the asset (R-ASSET-13).
    public let isPlayable: Bool

    init(trackID: CMPersistentTrackID, info: MediaInfo) {
        self.trackID = trackID
        mediaType = .audio
        codecName = info.codecName
        sampleRate = Double(info.format.sampleRate)
        channelCount = info.format.channelCount
        estimatedDataRate = Float(info.bitRate ?? 0)
        timeRange = CMTimeRange(start: .zero, duration: info.duration.time)
        formatDescriptions = [CMFormatDescription(info)]
        isPlayable = !info.hasProtectedContent
    }

    /// The timescale in which its times are exact.
    public var naturalTimeScale: CMTimeScale { CMTimeScale(clamping: Int(sampleRate)) }
    /// Always true: a track that does not play is not listed.
    public var isEnabled: Bool { true }
    /// Whether it is good for something.
    public func hasMediaCharacteristic(_ characteristic: AVMediaCharacteristic) -> Bool { characteristic == .audible }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
    public static var formatDescriptions: AVAsyncProperty<Root, [CMFormatDescription]> {
        AVAsyncProperty("formatDescriptions") { $0.formatDescriptions }
    }
    public static var timeRange: AVAsyncProperty<Root, CMTimeRange> { AVAsyncProperty("timeRange") { $0.timeRange } }
    public static var estimatedDataRate: AVAsyncProperty<Root, Float> { AVAsyncProperty("estimatedDataRate") { $0.estimatedDataRate } }
    public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> { AVAsyncProperty("naturalTimeScale") { $0.naturalTimeScale } }
    public static var isEnabled: AVAsyncProperty<Root, Bool> { AVAsyncProperty("enabled") { $0.isEnabled } }
    public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("playable") { $0.isPlayable } }
}

extension MediaDuration {
    /// As media time: indefinite where it is unknown (R-ITEM-05), never negative.
    var time: CMTime {
        switch self {
        case .unknown: .indefinite
        case .estimated(let frames, let rate), .exact(let frames, let rate):
            rate > 0 && rate <= Int(Int32.max) ? CMTime(value: max(0, frames), timescale: CMTimeScale(rate)) : .indefinite
        }
    }
}

extension CMFormatDescription {
    /// The codecs that Apple's systems have a number for; of others, the first four letters of the name.
    private static let codecs: [String: FourCharCode] = [
        "aac": "aac ", "alac": "alac", "mp3": ".mp3", "mp2": ".mp2", "mp1": ".mp1", "flac": "flac", "opus": "opus", "ac3": "ac-3", "eac3": "ec-3",
        "amrnb": "samr", "amrwb": "sawb", "pcm_mulaw": "ulaw", "pcm_alaw": "alaw",
    ].mapValues { FourCharCode(letters: $0) }

    /// The format of a medium's sound.
    convenience init(_ info: MediaInfo) {
        let isLinear = info.codecName.hasPrefix("pcm_")
        let codec = Self.codecs[info.codecName] ?? FourCharCode(letters: isLinear ? "lpcm" : info.codecName)
        let bits = info.bitsPerSample ?? 0
        let frameBytes = codec == FourCharCode(letters: "lpcm") ? (bits + 7) / 8 * info.format.channelCount : 0
        self.init(
            audioStreamBasicDescription: AudioStreamBasicDescription(
                mSampleRate: Double(info.format.sampleRate), mFormatID: codec, mBytesPerPacket: UInt32(clamping: frameBytes),
                mFramesPerPacket: frameBytes > 0 ? 1 : 0, mBytesPerFrame: UInt32(clamping: frameBytes),
                mChannelsPerFrame: UInt32(clamping: info.format.channelCount), mBitsPerChannel: UInt32(clamping: bits)))
    }
}
