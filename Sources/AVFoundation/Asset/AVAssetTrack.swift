public import CoreMedia
import PlaybackEngine

/// A kind of media.
public struct AVMediaType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let audio = AVMediaType(rawValue: "soun")
    public static let video = AVMediaType(rawValue: "vide")
    public static let text = AVMediaType(rawValue: "text")
}

/// A characteristic of a track: whether it is audible, visible or legible.
public struct AVMediaCharacteristic: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
    public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
    public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
}

/// The audio track that an asset plays; other tracks are not listed. Its properties are constants, and known when the track is made.
public final class AVAssetTrack: Sendable {
    public let trackID: CMPersistentTrackID
    public let mediaType: AVMediaType
    /// FFmpeg's short name of the codec. Not in Apple's API.
    public let codecName: String
    /// The sample rate, in frames per second. Not in Apple's API.
    public let sampleRate: Double
    /// Not in Apple's API.
    public let channelCount: Int
    /// The bit rate, in bits per second; 0 if unknown.
    public let estimatedDataRate: Float
    public let timeRange: CMTimeRange
    /// The format of the track, always exactly one.
    public let formatDescriptions: [CMFormatDescription]
    /// The same as the `isPlayable` of the track's asset (R-ASSET-13).
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

    /// The sample rate as a timescale, at which the times of all frames are exact.
    public var naturalTimeScale: CMTimeScale { CMTimeScale(clamping: Int(sampleRate)) }
    /// Always true, because other tracks are not listed.
    public var isEnabled: Bool { true }
    /// Every listed track is `audible` only.
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
    /// The duration as a time, never negative; indefinite if unknown (R-ITEM-05).
    var time: CMTime {
        switch self {
        case .unknown: .indefinite
        case .estimated(let frames, let rate), .exact(let frames, let rate):
            rate > 0 && rate <= Int(Int32.max) ? CMTime(value: max(0, frames), timescale: CMTimeScale(rate)) : .indefinite
        }
    }
}

extension CMFormatDescription {
    /// The four-character codes of codecs, by FFmpeg's names. The code of a codec without an entry is `lpcm` if its name is `pcm_…`, otherwise the
    /// first four letters of the name.
    private static let codecs: [String: FourCharCode] = [
        "aac": "aac ", "alac": "alac", "mp3": ".mp3", "mp2": ".mp2", "mp1": ".mp1", "flac": "flac", "opus": "opus", "ac3": "ac-3", "eac3": "ec-3",
        "amrnb": "samr", "amrwb": "sawb", "pcm_mulaw": "ulaw", "pcm_alaw": "alaw",
    ].mapValues { FourCharCode(letters: $0) }

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
