extension PitchAlgorithm {
    /// The magnitudes of the rates that may be requested, forwards or backwards (R-PITCH-01).
    public static let supportedRates: ClosedRange<Double> = (1.0 / 32)...32

    /// The only magnitudes of rates at which `lowQualityZeroLatency` renders (R-PITCH-01).
    public static let snappedRates: [Double] = [0.5, 2.0 / 3, 0.8, 1, 1.25, 1.5, 2]

    /// Returns the rate at which this algorithm renders a requested `rate`, with the same sign: the rate itself, or the nearest of `snappedRates` in
    /// proportion. Nil if the requested rate is 0, NaN, or outside `supportedRates` (R-RATE-08).
    ///
    /// The player's rate remains the requested one; the timebase has the rate that is rendered (R-PITCH-02).
    public func effectiveRate(for rate: Double) -> Double? {
        let speed = abs(rate)
        guard Self.supportedRates.contains(speed) else { return nil }
        guard self == .lowQualityZeroLatency else { return rate }
        // The middle of two rates is their geometric mean. At exactly that rate the slower one is used.
        let nearest = Self.snappedRates.min { max($0 / speed, speed / $0) < max($1 / speed, speed / $1) } ?? 1
        return rate < 0 ? -nearest : nearest
    }

    /// The highest rate at which `spectral` stretches audio by its spectrum. That takes a twentieth of a processor core for each second of media, so
    /// it would be too slow at rate 32. At such rates listeners cannot distinguish `spectral` from `timeDomain`.
    public static let fastestSpectral = 8.0

    /// Returns the algorithm that renders audio at `rate` if this one is requested: this one, or `timeDomain` instead of `spectral` beyond
    /// `fastestSpectral`.
    public func renderer(for rate: Double) -> PitchAlgorithm {
        self == .spectral && abs(rate) > Self.fastestSpectral ? .timeDomain : self
    }

    /// Whether a higher rate raises the pitch: only with `varispeed` (R-PITCH-01).
    public var changesPitch: Bool { self == .varispeed }
}
