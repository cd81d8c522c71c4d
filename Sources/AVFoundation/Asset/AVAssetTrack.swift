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

/// A track of an asset. Only the audio track that plays is listed. Immutable.
public final class AVAssetTrack: Sendable {
    public let trackID: Int32
    public let mediaType: AVMediaType
    /// The codec's short name. Not in Apple's vocabulary.
    public let codecName: String
    /// Frames a second of the decoded sound.
    public let sampleRate: Double
    public let channelCount: Int
    /// Bits a second, 0 where unknown.
    public let estimatedDataRate: Float
    /// The whole track on the asset's timeline.
    public let timeRange: CMTimeRange

    init(trackID: Int32, info: MediaInfo) {
        self.trackID = trackID
        mediaType = .audio
        codecName = info.codecName
        sampleRate = Double(info.format.sampleRate)
        channelCount = info.format.channelCount
        estimatedDataRate = Float(info.bitRate ?? 0)
        timeRange = CMTimeRange(start: .zero, duration: info.duration.time)
    }
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
