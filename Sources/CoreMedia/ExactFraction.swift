/// A signed fraction of two 128-bit numbers, for arithmetic that is exact until its result is rounded to a `CMTime`.
struct ExactFraction {
    let isNegative: Bool
    let numerator: UInt128
    /// The denominator is positive.
    let denominator: UInt128

    init(isNegative: Bool, numerator: UInt128, denominator: UInt128) {
        self.isNegative = isNegative
        self.numerator = numerator
        self.denominator = denominator
    }

    /// `denominator` is positive.
    init(_ numerator: Int128, _ denominator: Int128) {
        self.init(isNegative: numerator < 0, numerator: numerator.magnitude, denominator: denominator.magnitude)
    }

    /// The time in seconds.
    init(_ time: CMTime) {
        self.init(Int128(time.value), Int128(time.timescale))
    }

    var isZero: Bool { numerator == 0 }

    var reduced: ExactFraction {
        let divisor = greatestCommonDivisor(numerator, denominator)
        return ExactFraction(isNegative: isNegative, numerator: numerator / divisor, denominator: denominator / divisor)
    }

    /// The value in units of `1 / scale`, and whether it is exact; nil on overflow.
    func value(at scale: CMTimeScale, _ method: CMTimeRoundingMethod = .default) -> (value: CMTimeValue, isExact: Bool)? {
        let factor = UInt128(scale.magnitude)
        let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        let (scaledWhole, overflow) = whole.multipliedReportingOverflow(by: factor)
        guard !overflow, scaledWhole <= UInt128(UInt64.max) else { return nil }
        // `rest` is smaller than the denominator, so `fraction` is smaller than the scale.
        let (fraction, remainder): (UInt128, UInt128)
        let (scaledRest, wide) = rest.multipliedReportingOverflow(by: factor)
        if wide {
            (fraction, remainder) = denominator.dividingFullWidth(rest.multipliedFullWidth(by: factor))
        } else {
            (fraction, remainder) = scaledRest.quotientAndRemainder(dividingBy: denominator)
        }
        var magnitude = scaledWhole + fraction
        if method.roundsAwayFromZero(remainder: remainder, of: denominator, isNegative: isNegative) { magnitude += 1 }
        if isNegative && magnitude == 0 && !isZero && method.keepsNegatives { magnitude = 1 }
        let signed = isNegative ? -Int128(magnitude) : Int128(magnitude)
        guard let value = CMTimeValue(exactly: signed) else { return nil }
        return (value, remainder == 0)
    }

    /// The fraction as a time at the timescale `scale`, which is halved until the value fits; ±∞ if it never fits (R-ARITH-03).
    func time(at scale: CMTimeScale, _ method: CMTimeRoundingMethod = .default, flags: CMTimeFlags = .valid, epoch: CMTimeEpoch = 0) -> CMTime {
        var scale = scale
        while scale > 0 {
            if let (value, isExact) = value(at: scale, method) {
                return CMTime(value: value, timescale: scale, flags: isExact ? flags : flags.union(.hasBeenRounded), epoch: epoch)
            }
            scale /= 2
        }
        return .infinity(negative: isNegative)
    }
}

/// The result is `b` if `a` is 0.
func greatestCommonDivisor<T: BinaryInteger>(_ a: T, _ b: T) -> T {
    var (a, b) = (a, b)
    while a != 0 { (a, b) = (b % a, a) }
    return b
}

extension CMTimeScale {
    /// The smallest timescale at which times of both timescales are exact, but at most 1,000,000,000, as measured on Apple's systems; Apple's header
    /// says 2³¹ − 1 (R-ARITH-02, J-3). Two equal timescales are kept, even above the limit.
    static func common(_ a: CMTimeScale, _ b: CMTimeScale) -> CMTimeScale {
        if a == b { return a }
        let multiple = Int64(a) / Int64(greatestCommonDivisor(a, b)) * Int64(b)
        return CMTimeScale(Swift.min(multiple, Int64(measuredLimit)))
    }

    static let measuredLimit: CMTimeScale = 1_000_000_000
}
