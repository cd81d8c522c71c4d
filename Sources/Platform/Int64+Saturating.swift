extension Int64 {
    /// Makes the integer nearest to the floating-point number `value`. A floating-point number beyond the range of `Int64` becomes the nearest end of
    /// the range, and NaN becomes 0.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int64(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
    }

    /// Returns the sum of two integers. A sum beyond the range of `Int64` becomes the nearest end of the range.
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference of two integers. A difference beyond the range of `Int64` becomes the nearest end of the range.
    package func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
