import Glibc

/// The attenuation that keeps the samples of items below full scale. Lossy codecs decode to samples over full scale, which a device would clip. The
/// attenuation is one gain for the whole item, known before the item is played; it is not a limiter.
public enum Headroom: Sendable, Hashable {
    /// No item is attenuated.
    case off
    /// An item is attenuated to a peak of full scale, if the peak in its tags exceeds full scale after the gain of its loudness tags.
    case peak
    /// Each item is attenuated by these decibels, and by more if the peak in its tags requires more.
    case decibels(Double)

    /// The range of `decibels`. An attenuation by 12 dB (to a quarter of the amplitude) is enough for the peaks of all lossy codecs.
    public static let range = 0.0...12.0
}

extension Headroom: LosslessStringConvertible {
    /// The word of the command line: `off`, `peak`, or decibels.
    public var description: String {
        switch self {
        case .off: "off"
        case .peak: "peak"
        case .decibels(let decibels): "\(decibels)"
        }
    }

    public init?(_ description: String) {
        switch description {
        case "off": self = .off
        case "peak": self = .peak
        default:
            guard description.utf8.count <= 16, let decibels = Double(description), Self.range.contains(decibels) else { return nil }
            self = .decibels(decibels)
        }
    }
}

extension LoudnessTags {
    /// Returns the factor by which the headroom reduces the samples of an item, after the factor of its loudness (`factor(_:)`) was applied; exactly
    /// 1 if nothing has to be reduced.
    public func reduction(_ headroom: Headroom, after mode: LoudnessMode) -> Float {
        let wanted: Double
        switch headroom {
        case .off: return 1
        case .peak: wanted = 1
        case .decibels(let decibels): wanted = pow(10, -min(Headroom.range.upperBound, max(0, decibels)) / 20)
        }
        let peak = [mode == .album ? albumPeak : trackPeak, trackPeak, albumPeak].lazy.compactMap { $0 }.first { $0.isFinite && $0 > 0 } ?? 0
        let loud = peak * Double(factor(mode))
        return Float(min(wanted, loud > 1 ? 1 / loud : 1))
    }
}
