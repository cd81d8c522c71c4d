extension Int64 {
    /// The integer nearest to `value`; outside the range of `Int64` the nearer end of the range, and 0 for NaN.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int64(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
    }

    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    package func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
