public import CoreMedia
import PlaybackEngine

/// The kind of media in a track.
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

/// An audio track of an asset. An asset lists only the audio track that is played. A track is immutable: all its properties are known when the track
/// is made.
public final class AVAssetTrack: Sendable {
    public let trackID: CMPersistentTrackID
    public let mediaType: AVMediaType
    /// The short name of the track's codec. Apple's API has no property `codecName`.
    public let codecName: String
    /// The sample rate of the decoded audio, in frames per second. Apple's API has no property `sampleRate`.
    public let sampleRate: Double
    /// The number of the track's channels. Apple's API has no property `channelCount`.
    public let channelCount: Int
    /// The bit rate of the track, in bits per second; 0 if the bit rate is unknown.
    public let estimatedDataRate: Float
    /// The time range of the whole track on the asset's timeline.
    public let timeRange: CMTimeRange
    /// The formats of the track: an array that always has one element.
    public let formatDescriptions: [CMFormatDescription]
    /// Whether the track is expected to be playable, which is the same as for its asset (R-ASSET-13).
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

    /// The timescale in which the times of the track are exact, which is the sample rate.
    public var naturalTimeScale: CMTimeScale { CMTimeScale(clamping: Int(sampleRate)) }
    /// Whether the track is enabled. `isEnabled` is always true, because tracks that are not played are not listed.
    public var isEnabled: Bool { true }
    /// Whether the track has a characteristic. Every listed track has only the characteristic `audible`.
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
    /// The duration of a medium as a `CMTime`, never negative; indefinite if the duration is unknown (R-ITEM-05).
    var time: CMTime {
        switch self {
        case .unknown: .indefinite
        case .estimated(let frames, let rate), .exact(let frames, let rate):
            rate > 0 && rate <= Int(Int32.max) ? CMTime(value: max(0, frames), timescale: CMTimeScale(rate)) : .indefinite
        }
    }
}

extension CMFormatDescription {
    /// Apple's four-character codes of codecs, by FFmpeg's names of the codecs. A codec without an entry has the code `lpcm` if its name begins with
    /// `pcm_`; otherwise its code is the first four letters of its name.
    private static let codecs: [String: FourCharCode] = [
        "aac": "aac ", "alac": "alac", "mp3": ".mp3", "mp2": ".mp2", "mp1": ".mp1", "flac": "flac", "opus": "opus", "ac3": "ac-3", "eac3": "ec-3",
        "amrnb": "samr", "amrwb": "sawb", "pcm_mulaw": "ulaw", "pcm_alaw": "alaw",
    ].mapValues { FourCharCode(letters: $0) }

    /// Makes the format description of a medium's audio.
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
