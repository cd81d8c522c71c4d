import Glibc

/// The attenuation that keeps samples within full scale: lossy codecs can decode to samples above full scale, which a device would clip. It is one
/// gain for the whole item, known before the item is played, and not a limiter.
public enum Headroom: Sendable, Hashable {
    case off
    /// If the peak in the tags exceeds full scale after the loudness gain, the samples are attenuated so that the peak is at full scale.
    case peak
    /// The samples are attenuated by these decibels, and by more if the peak in the tags requires it.
    case decibels(Double)

    /// The decibels that a user may choose; 12 dB are enough for the peaks of all lossy codecs.
    public static let range = 0.0...12.0
}

extension Headroom: LosslessStringConvertible {
    /// The value of the command-line option: `off`, `peak`, or the decibels.
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
    /// The factor by which samples are multiplied after that of the loudness mode (`factor(_:)`); exactly 1 if no attenuation is needed.
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
