// The arithmetic operations compute an exact result, and then convert the result to a `CMTime`. A rounded time has the flag `hasBeenRounded`. (Sums
// and differences instead convert each operand separately.)

extension CMTime {
    /// Returns the sum of two times. The sum is exact if a `CMTime` can represent the exact sum (R-ARITH-01 to R-ARITH-06).
    ///
    /// - If the operands have the same timescale, the sum has the same timescale too. If the operands have different timescales, the sum has the
    ///   least common multiple of both, at most 1,000,000,000. If an operand or the sum overflows at the timescale of the sum, the timescale is
    ///   halved, with default rounding, until the values fit. If the sum overflows at timescale 1, the result is ±∞.
    /// - If an operand is invalid, the sum is invalid. If an operand is infinite, the sum is the same infinity; the sum of two opposite infinities is
    ///   invalid. If an operand is indefinite and the other operand is indefinite or finite, the sum is indefinite.
    /// - The sum of times of different epochs is invalid, unless one of the epochs is 0: then the sum has the other epoch. The sum of two times of the
    ///   same epoch has epoch 0.
    public static func + (addend1: CMTime, addend2: CMTime) -> CMTime {
        combine(addend1, addend2, subtracting: false)
    }

    /// Returns the difference of two times, by the rules of `+`. For example, (+∞) − (+∞) is invalid, and (+∞) − (−∞) is +∞ (R-ARITH-04).
    public static func - (minuend: CMTime, subtrahend: CMTime) -> CMTime {
        combine(minuend, subtrahend, subtracting: true)
    }

    private static func combine(_ a: CMTime, _ b: CMTime, subtracting: Bool) -> CMTime {
        switch (a.kind, b.kind) {
        case (.finite, .finite): return combineFinite(a, b, subtracting: subtracting)
        case (.invalid, _), (_, .invalid): return .invalid
        case (let left, let right):
            let wanted: [Bool] = [left.infinityIsNegative, right.infinityIsNegative.map { $0 != subtracting }].compactMap { $0 }
            guard let first = wanted.first else { return .indefinite }
            return wanted.allSatisfy { $0 == first } ? .infinity(negative: first) : .invalid
        }
    }

    private static func combineFinite(_ a: CMTime, _ b: CMTime, subtracting: Bool) -> CMTime {
        guard a.epoch == b.epoch || a.epoch == 0 || b.epoch == 0 else { return .invalid }
        let epoch = a.epoch == b.epoch ? 0 : (a.epoch == 0 ? b.epoch : a.epoch)
        let inherited: CMTimeFlags = a.hasBeenRounded || b.hasBeenRounded ? [.valid, .hasBeenRounded] : .valid
        var scale = CMTimeScale.common(a.timescale, b.timescale)
        while true {
            // Each operand of a sum is converted to the sum's timescale separately; the exact sum is not rounded once. Measurements show that Apple's
            // implementation converts the operands separately too (GV-53, GV-54).
            if let x = a.value(at: scale), let y = b.value(at: scale) {
                let (sum, overflow) = subtracting ? x.value.subtractingReportingOverflow(y.value) : x.value.addingReportingOverflow(y.value)
                if !overflow {
                    let flags: CMTimeFlags = x.isExact && y.isExact ? inherited : [.valid, .hasBeenRounded]
                    return CMTime(value: sum, timescale: scale, flags: flags, epoch: epoch)
                }
                // A sum overflows only if both summands have the same sign, so the sign of the first operand is the sign of the result.
                if scale == 1 { return .infinity(negative: x.value < 0) }
            }
            scale = max(1, scale / 2)
        }
    }

    /// Returns the time's value in units of `1 / scale` seconds; nil if the value overflows. At timescale 1 the value of a time never overflows.
    private func value(at scale: CMTimeScale) -> (value: CMTimeValue, isExact: Bool)? {
        if scale == timescale { return (value, true) }
        if scale % timescale == 0 {
            let (product, overflow) = value.multipliedReportingOverflow(by: CMTimeValue(scale / timescale))
            return overflow ? nil : (product, true)
        }
        return ExactFraction(self).value(at: scale)
    }
}

extension CMTime.Kind {
    /// Whether an infinity is negative; nil for kinds that are not infinite.
    fileprivate var infinityIsNegative: Bool? {
        switch self {
        case .positiveInfinity: false
        case .negativeInfinity: true
        default: nil
        }
    }
}

// MARK: - Products

extension CMTime {
    /// Returns the time × `multiplier`. The product keeps the timescale of the time, or the timescale is halved until the value does not overflow
    /// (R-ARITH-03, R-ARITH-07). The product 0 × ∞ is invalid (a choice of this implementation).
    func multiplied(by multiplier: Int32) -> CMTime {
        switch kind {
        case .invalid: return .invalid
        case .indefinite: return .indefinite
        case .positiveInfinity, .negativeInfinity: return infinity(times: multiplier.signum())
        case .finite: return ExactFraction(Int128(value) * Int128(multiplier), Int128(timescale)).time(at: timescale, flags: flags, epoch: epoch)
        }
    }

    /// Returns the time × `multiplier` / `divisor`, exactly if a `CMTime` can represent the result (R-ARITH-09).
    ///
    /// The ratio `multiplier / divisor` is reduced to lowest terms. The time's value is multiplied by the reduced numerator, and the time's timescale
    /// by the reduced denominator. Only if the two numbers do not fit into a `CMTime`, their fraction is reduced to lowest terms. If it still does
    /// not fit, the result is rounded at the largest timescale at which its value fits. If the divisor is 0, the result is ±∞ by the signs, or
    /// invalid if the time or the multiplier is 0 too.
    func multiplied(by multiplier: Int32, over divisor: Int32) -> CMTime {
        guard divisor != 0 else {
            switch kind {
            case .invalid: return .invalid
            case .indefinite: return .indefinite
            case .positiveInfinity, .negativeInfinity: return infinity(times: multiplier.signum())
            case .finite: return value == 0 || multiplier == 0 ? .invalid : .infinity(negative: (value < 0) != (multiplier < 0))
            }
        }
        let common = greatestCommonDivisor(Int64(multiplier.magnitude), Int64(divisor.magnitude))
        let sign: Int64 = divisor < 0 ? -1 : 1
        let factor = sign * Int64(multiplier) / common
        let over = sign * Int64(divisor) / common
        switch kind {
        case .invalid: return .invalid
        case .indefinite: return .indefinite
        case .positiveInfinity, .negativeInfinity: return infinity(times: factor.signum())
        case .finite:
            return CMTime(ratio: ExactFraction(Int128(value) * Int128(factor), Int128(timescale) * Int128(over)), flags: flags, epoch: epoch)
        }
    }

    /// Returns the time × a floating-point number, computed exactly and rounded once. The timescale of the product is the timescale of the time,
    /// doubled until it is at least 65,536, as in Apple's header, and halved if the value overflows. Newer systems of Apple are reported to use the
    /// timescale 1,000,000,000, so programs should compare products by value (R-ARITH-08, decision J-4). The product is invalid for NaN and for 0 × ∞
    /// (a choice of this implementation).
    func multiplied(by multiplier: Double) -> CMTime {
        guard !multiplier.isNaN else { return .invalid }
        switch kind {
        case .invalid: return .invalid
        case .indefinite: return .indefinite
        case .positiveInfinity, .negativeInfinity: return infinity(times: multiplier == 0 ? 0 : (multiplier < 0 ? -1 : 1))
        case .finite: break
        }
        let isNegative = (value < 0) != (multiplier < 0)
        guard multiplier.isFinite else { return value == 0 ? .invalid : .infinity(negative: isNegative) }
        var scale = timescale
        while scale < 65_536 { scale *= 2 }
        guard let product = product(with: multiplier.magnitude, isNegative: isNegative) else { return .infinity(negative: isNegative) }
        return product.time(at: scale, flags: flags, epoch: epoch)
    }

    /// The absolute value of the time: negative times and −∞ change their sign (R-ARITH-10). The timescale is halved for the single negative value
    /// whose opposite overflows (R-ARITH-03).
    var absoluteValue: CMTime {
        switch kind {
        case .negativeInfinity: .positiveInfinity
        case .finite where value < 0: ExactFraction(-Int128(value), Int128(timescale)).time(at: timescale, flags: flags, epoch: epoch)
        default: self
        }
    }

    /// Returns the infinite time × a number with the sign `sign`; the product is invalid if `sign` is 0.
    private func infinity(times sign: some BinaryInteger) -> CMTime {
        sign == 0 ? .invalid : .infinity(negative: (kind == .negativeInfinity) != (sign < 0))
    }

    /// Makes the time nearest to a fraction, with the fraction's own numerator and denominator if both fit.
    private init(ratio: ExactFraction, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        for candidate in [ratio, ratio.reduced] where candidate.denominator <= UInt128(CMTimeScale.max.magnitude) {
            let scale = CMTimeScale(candidate.denominator)
            if let (value, _) = candidate.value(at: scale) {
                self.init(value: value, timescale: scale, flags: flags, epoch: epoch)
                return
            }
        }
        // The fraction is not 0 here, because 0 always fits into a time. The nearest time has the largest timescale at which its value is below 2⁶³.
        let limit = UInt128(CMTimeValue.max) * ratio.denominator / ratio.numerator
        let scale = CMTimeScale(min(limit, UInt128(CMTimeScale.max.magnitude)))
        self = scale == 0 ? .infinity(negative: ratio.isNegative) : ratio.time(at: scale, flags: flags, epoch: epoch)
    }

    /// Returns the product of a finite time's magnitude and `multiplier`, which must be finite and not negative. The product is exact down to 2⁻⁹⁶;
    /// all smaller binary digits are replaced by one digit that has the same effect on rounding. Returns nil if the product overflows at every
    /// timescale.
    private func product(with multiplier: Double, isNegative: Bool) -> ExactFraction? {
        guard multiplier > 0, value != 0 else { return ExactFraction(isNegative: false, numerator: 0, denominator: 1) }
        let trailing = multiplier.significandBitPattern.trailingZeroBitCount
        let zeros = min(trailing, Double.significandBitCount)
        let hidden: UInt64 = multiplier.isSubnormal ? 0 : 1 << Double.significandBitCount
        let mantissa = UInt128((hidden | multiplier.significandBitPattern) >> zeros)
        let exponent = max(Int(multiplier.exponentBitPattern), 1) - 1075 + zeros
        var numerator = UInt128(value.magnitude) * mantissa
        let denominator = UInt128(timescale.magnitude)
        guard exponent < 0 else {
            // If the shifted numerator does not fit into 128 bits, the product is above 2¹²⁸ / 2³¹ seconds, which no time can represent.
            guard numerator.leadingZeroBitCount >= exponent else { return nil }
            return ExactFraction(isNegative: isNegative, numerator: numerator << exponent, denominator: denominator)
        }
        let fractionBits = min(-exponent, 96)
        let excess = -exponent - fractionBits
        if excess > 0 {
            // The discarded bits are much smaller than the half unit that decides rounding. One bit represents all discarded bits: it is 1 if any
            // discarded bit is 1.
            let cut = excess >= 128 ? numerator : numerator & ((UInt128(1) << excess) - 1)
            numerator = (excess >= 128 ? 0 : numerator >> excess) | (cut == 0 ? 0 : 1)
        }
        return ExactFraction(isNegative: isNegative, numerator: numerator, denominator: denominator << fractionBits)
    }
}
