import CoreMedia

/// Exact conversion between media time and frames.
enum FrameCount {
    /// Returns the frame at `time`, rounded to nearest, half away from zero. Infinities saturate. Nil if the time is invalid or indefinite.
    static func frames(of time: CMTime, sampleRate: Int) -> Int64? {
        let flags = time.flags.rawValue
        guard flags & 1 != 0, flags & 16 == 0 else { return nil }
        if flags & 4 != 0 { return .max }
        if flags & 8 != 0 { return .min }
        guard time.timescale > 0 else { return nil }
        let scale = Int128(time.timescale)
        let product = Int128(time.value) * Int128(sampleRate)
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: scale)
        let rounded = remainder.magnitude * 2 >= scale.magnitude ? quotient + (product < 0 ? -1 : 1) : quotient
        return Int64(clamping: rounded)
    }

    /// Returns the integer nearest to `value`. Values beyond the range saturate, and NaN gives 0.
    static func saturating(_ value: Double) -> Int64 {
        if value.isNaN { return 0 }
        return Int64(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
    }

    /// Returns `base + offset`, which saturates instead of overflowing.
    static func adding(_ base: Int64, _ offset: Int64) -> Int64 {
        let (sum, overflow) = base.addingReportingOverflow(offset)
        return overflow ? (offset > 0 ? .max : .min) : sum
    }
}
