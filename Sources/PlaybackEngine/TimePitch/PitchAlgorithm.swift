/// The algorithm that renders audio at rates other than 1 (R-PITCH-01).
public enum PitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    case timeDomain, spectral, varispeed, lowQualityZeroLatency
}
