extension PitchAlgorithm {
    /// The speeds that may be asked for, forward or in reverse (R-PITCH-01).
    public static let supportedRates: ClosedRange<Double> = (1.0 / 32)...32

    /// The only speeds that `lowQualityZeroLatency` renders (R-PITCH-01).
    public static let snappedRates: [Double] = [0.5, 2.0 / 3, 0.8, 1, 1.25, 1.5, 2]

    /// The speed at which this algorithm renders a requested `rate`, with the same sign: the rate itself, or the nearest of `snappedRates` in
    /// proportion. Nil where the request is 0, no number, or outside `supportedRates` (R-RATE-08).
    ///
    /// The player's rate keeps what was asked for; the timebase shows this (R-PITCH-02).
    public func effectiveRate(for rate: Double) -> Double? {
        let speed = abs(rate)
        guard Self.supportedRates.contains(speed) else { return nil }
        guard self == .lowQualityZeroLatency else { return rate }
        // The middle between two speeds is their geometric mean; a tie goes to the slower one.
        let nearest = Self.snappedRates.min { max($0 / speed, speed / $0) < max($1 / speed, speed / $1) } ?? 1
        return rate < 0 ? -nearest : nearest
    }

    /// The fastest that sound is stretched by its spectrum: that takes a twentieth of a processor core for each second of sound, so at 32 it could not
    /// keep up, and at such speeds nobody can tell the two algorithms apart.
    public static let fastestSpectral = 8.0

    /// The algorithm that renders this one at `rate`: itself, but for `spectral` beyond `fastestSpectral`, which is `timeDomain` there.
    public func renderer(for rate: Double) -> PitchAlgorithm {
        self == .spectral && abs(rate) > Self.fastestSpectral ? .timeDomain : self
    }

    /// Whether speeding up raises the pitch: only `varispeed` does that (R-PITCH-01).
    public var changesPitch: Bool { self == .varispeed }
}
