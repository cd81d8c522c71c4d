import CoreMedia

enum FrameCount {
    /// The time in frames, rounded to the nearest, halves away from zero; the largest or smallest Int64 for infinity; nil if invalid or indefinite.
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
}
