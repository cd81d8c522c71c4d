package import PlaybackEngine

/// How audio is rendered at rates other than 1; only `varispeed` changes the pitch (R-PITCH-01).
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")

    package var engineAlgorithm: PitchAlgorithm {
        switch self {
        case .spectral: .spectral
        case .varispeed: .varispeed
        case .lowQualityZeroLatency: .lowQualityZeroLatency
        default: .timeDomain
        }
    }

    package init(_ algorithm: PitchAlgorithm) {
        switch algorithm {
        case .timeDomain: self = .timeDomain
        case .spectral: self = .spectral
        case .varispeed: self = .varispeed
        case .lowQualityZeroLatency: self = .lowQualityZeroLatency
        }
    }
}
