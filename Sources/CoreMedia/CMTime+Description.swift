extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
    /// The time as the text of Apple's `CMTimeCopyDescription`: `{1/2 = 0.500}`, `{7/1 = 7.000, rounded}`, `{INVALID}` (R-TIME-10).
    public var description: String {
        switch kind {
        case .positiveInfinity: return "{+INFINITY}"
        case .negativeInfinity: return "{-INFINITY}"
        case .indefinite: return "{INDEFINITE}"
        case .invalid: return "{INVALID}"
        case .finite:
            let rounded = hasBeenRounded ? ", rounded" : ""
            let later = epoch == 0 ? "" : ", epoch \(epoch)"
            return "{\(value)/\(timescale) = \(decimalSeconds)\(rounded)\(later)}"
        }
    }

    public var debugDescription: String { description }

    /// The seconds of a finite time with three decimals, computed from the exact fraction.
    private var decimalSeconds: String {
        let scale = UInt128(timescale.magnitude)
        let thousandths = (UInt128(value.magnitude) * 1000 + scale / 2) / scale
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(rest)
        return (value < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
