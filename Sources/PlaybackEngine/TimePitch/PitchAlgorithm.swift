/// The algorithm that renders audio at rates other than 1 (R-PITCH-01).
public enum PitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    case timeDomain, spectral, varispeed, lowQualityZeroLatency
}

extension PitchAlgorithm {
    /// Magnitudes that may be requested, forwards or backwards (R-PITCH-01).
    public static let supportedRates: ClosedRange<Double> = (1.0 / 32)...32

    /// At which alone `lowQualityZeroLatency` renders (R-PITCH-01).
    public static let snappedRates: [Double] = [0.5, 2.0 / 3, 0.8, 1, 1.25, 1.5, 2]

    /// At which this algorithm renders a requested rate: the rate itself, or the nearest of `snappedRates` in proportion. Nil for 0, NaN, and outside
    /// `supportedRates` (R-RATE-08). The player's rate stays the requested one; the timebase has this one (R-PITCH-02).
    public func effectiveRate(for rate: Double) -> Double? {
        let speed = abs(rate)
        guard Self.supportedRates.contains(speed) else { return nil }
        guard self == .lowQualityZeroLatency else { return rate }
        // The boundary is the geometric mean, where the slower rate is used.
        let nearest = Self.snappedRates.min { max($0 / speed, speed / $0) < max($1 / speed, speed / $1) } ?? 1
        return rate < 0 ? -nearest : nearest
    }

    /// Up to which `spectral` stretches by the spectrum, which takes a twentieth of a second of processor time for each second of media. Above 8,
    /// listeners cannot distinguish it from `timeDomain`.
    public static let fastestSpectral = 8.0

    /// `timeDomain` instead of `spectral` above `fastestSpectral`.
    public func renderer(for rate: Double) -> PitchAlgorithm {
        self == .spectral && abs(rate) > Self.fastestSpectral ? .timeDomain : self
    }

    /// Only `varispeed` does (R-PITCH-01).
    public var changesPitch: Bool { self == .varispeed }
}
