/// The durations that a crossfade may have.
public enum CrossfadeDuration {
    /// In seconds; 0 joins items without a gap.
    public static let range = 0.0...12.0

    /// The nearest duration in `range`; 0 if `seconds` is not finite.
    public static func limited(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(range.lowerBound, seconds), range.upperBound) : 0
    }
}
