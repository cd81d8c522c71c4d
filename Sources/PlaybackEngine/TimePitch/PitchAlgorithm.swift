/// How a rate other than 1 is rendered (R-PITCH-01).
public enum PitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    case timeDomain, spectral, varispeed, lowQualityZeroLatency
}
