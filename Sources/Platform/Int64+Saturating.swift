extension Int64 {
    /// The integer nearest to `value`. A value beyond the range of `Int64` becomes its nearest end, and NaN becomes 0.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int64(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
    }

    /// The sum, or the end of the range that it would lie beyond.
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
