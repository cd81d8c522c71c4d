/// The durations of a crossfade.
public enum CrossfadeDuration {
    /// The durations that can be chosen, in seconds; 0 joins items without a gap.
    public static let range = 0.0...12.0

    /// Returns the nearest duration in the range; 0 if `seconds` is not finite.
    public static func limited(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(range.lowerBound, seconds), range.upperBound) : 0
    }
}
