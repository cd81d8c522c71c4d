extension PitchAlgorithm {
    /// The magnitudes of the rates that may be requested, forwards or backwards (R-PITCH-01).
    public static let supportedRates: ClosedRange<Double> = (1.0 / 32)...32

    /// The only magnitudes of rates that `lowQualityZeroLatency` renders (R-PITCH-01).
    public static let snappedRates: [Double] = [0.5, 2.0 / 3, 0.8, 1, 1.25, 1.5, 2]

    /// Returns the rate at which this algorithm renders a requested `rate`, with the same sign: the rate itself, or the nearest of `snappedRates` in
    /// proportion. Nil if the requested rate is 0, NaN, or outside `supportedRates` (R-RATE-08).
    ///
    /// The player's rate remains the requested one; the timebase has the rendered one (R-PITCH-02).
    public func effectiveRate(for rate: Double) -> Double? {
        let speed = abs(rate)
        guard Self.supportedRates.contains(speed) else { return nil }
        guard self == .lowQualityZeroLatency else { return rate }
        // The middle of two rates is their geometric mean. At exactly the middle the slower one is used.
        let nearest = Self.snappedRates.min { max($0 / speed, speed / $0) < max($1 / speed, speed / $1) } ?? 1
        return rate < 0 ? -nearest : nearest
    }

    /// The highest rate at which audio is stretched by its spectrum. That takes a twentieth of a processor core for each second of media, so it could
    /// not keep up at rate 32. At such rates listeners cannot distinguish the two algorithms.
    public static let fastestSpectral = 8.0

    /// Returns the algorithm that renders this one at `rate`: itself, except that `spectral` beyond `fastestSpectral` is rendered by `timeDomain`.
    public func renderer(for rate: Double) -> PitchAlgorithm {
        self == .spectral && abs(rate) > Self.fastestSpectral ? .timeDomain : self
    }

    /// Whether a higher rate raises the pitch: only with `varispeed` (R-PITCH-01).
    public var changesPitch: Bool { self == .varispeed }
}
