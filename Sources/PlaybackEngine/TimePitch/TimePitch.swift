/// A stretcher, which renders audio at another rate, on the engine's thread.
///
/// For implementers: `process` must not allocate. After `reset(rate:)`, output frame n corresponds to media frame n · |rate|, within the algorithm's
/// granularity and without drift.
public protocol TimePitch: AnyObject {
    /// Discards all input; `rate` is > 0.
    func reset(rate: Double)
    /// Stretches as much as the two buffers allow. `isEnd`: no further input follows, and the rest is produced. Both counts are 0 only if more input
    /// is needed, or all has been produced.
    func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int)
    /// The greatest number of input frames that have to follow the reading position.
    var lookahead: Int { get }
}

extension TimePitch {
    /// The rate limited to 1/32 to 32, which every algorithm can render; for NaN, 1.
    public static func limited(_ rate: Double) -> Double { rate.isNaN ? 1 : min(max(rate, 1.0 / 32), 32) }

    /// Copies frames as `process` does at rate 1.
    public static func copy(
        _ input: UnsafePointer<Float>, frameCount: Int, into output: UnsafeMutablePointer<Float>, capacity: Int, channelCount: Int
    ) -> (consumed: Int, produced: Int) {
        let count = min(frameCount, capacity)
        output.update(from: input, count: count * channelCount)
        return (count, count)
    }
}

/// The algorithm that renders audio at rates other than 1 (R-PITCH-01).
public enum PitchAlgorithm: String, Sendable, Hashable, CaseIterable {
    case timeDomain, spectral, varispeed, lowQualityZeroLatency
}

extension PitchAlgorithm {
    /// The magnitudes of rates that may be requested, forwards or backwards (R-PITCH-01).
    public static let supportedRates: ClosedRange<Double> = (1.0 / 32)...32

    /// The only rates at which `lowQualityZeroLatency` renders (R-PITCH-01).
    public static let snappedRates: [Double] = [0.5, 2.0 / 3, 0.8, 1, 1.25, 1.5, 2]

    /// The rate at which this algorithm renders a requested rate: the rate itself, or the nearest of `snappedRates` in proportion. Nil for 0, NaN,
    /// and outside `supportedRates` (R-RATE-08). The player's rate stays the requested one; the item's timebase has the returned one (R-PITCH-02).
    public func effectiveRate(for rate: Double) -> Double? {
        let speed = abs(rate)
        guard Self.supportedRates.contains(speed) else { return nil }
        guard self == .lowQualityZeroLatency else { return rate }
        // The boundary is the geometric mean, where the slower rate is used.
        let nearest = Self.snappedRates.min { max($0 / speed, speed / $0) < max($1 / speed, speed / $1) } ?? 1
        return rate < 0 ? -nearest : nearest
    }

    /// The rate up to which `spectral` stretches by the spectrum, which takes a twentieth of a second of processor time for each second of media.
    /// Above 8, listeners cannot distinguish it from `timeDomain`.
    public static let fastestSpectral = 8.0

    /// The algorithm that renders a rate: `timeDomain` instead of `spectral` above `fastestSpectral`.
    public func renderer(for rate: Double) -> PitchAlgorithm {
        self == .spectral && abs(rate) > Self.fastestSpectral ? .timeDomain : self
    }

    /// Whether the algorithm changes the pitch; only `varispeed` does (R-PITCH-01).
    public var changesPitch: Bool { self == .varispeed }
}
