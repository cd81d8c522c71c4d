/// The algorithm that renders audio at rates other than 1 (R-PITCH-01).
public enum PitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    case timeDomain, spectral, varispeed, lowQualityZeroLatency
}

extension PitchAlgorithm {
    /// The magnitudes of the playback rates that may be requested, forwards or backwards (R-PITCH-01).
    public static let supportedRates: ClosedRange<Double> = (1.0 / 32)...32

    /// The only magnitudes of playback rates at which `lowQualityZeroLatency` renders (R-PITCH-01).
    public static let snappedRates: [Double] = [0.5, 2.0 / 3, 0.8, 1, 1.25, 1.5, 2]

    /// Returns the rate at which this algorithm renders a requested `rate`, with the same sign: the rate itself, or the nearest of `snappedRates` in
    /// proportion. Returns nil if the requested rate is 0, NaN, or outside `supportedRates` (R-RATE-08).
    ///
    /// The player's rate remains the requested rate; the timebase has the rate that is rendered (R-PITCH-02).
    public func effectiveRate(for rate: Double) -> Double? {
        let speed = abs(rate)
        guard Self.supportedRates.contains(speed) else { return nil }
        guard self == .lowQualityZeroLatency else { return rate }
        // The boundary between two supported rates is their geometric mean. At exactly the geometric mean, the slower of the two rates is used.
        let nearest = Self.snappedRates.min { max($0 / speed, speed / $0) < max($1 / speed, speed / $1) } ?? 1
        return rate < 0 ? -nearest : nearest
    }

    /// The highest rate at which `spectral` stretches audio by its spectrum. Stretching by the spectrum takes a twentieth of a second of processor
    /// time for each second of media, so at rate 32 it would be too slow. At rates above 8, listeners cannot distinguish `spectral` from
    /// `timeDomain`.
    public static let fastestSpectral = 8.0

    /// Returns the algorithm that really renders audio at `rate` if `self` is requested: `timeDomain` instead of `spectral` above `fastestSpectral`,
    /// otherwise `self`.
    public func renderer(for rate: Double) -> PitchAlgorithm {
        self == .spectral && abs(rate) > Self.fastestSpectral ? .timeDomain : self
    }

    /// Whether a higher playback rate raises the pitch, as it does only with `varispeed` (R-PITCH-01).
    public var changesPitch: Bool { self == .varispeed }
}
