// Each operation computes the exact result, and then converts it to a timescale; `hasBeenRounded` is set if that rounds. (A sum or difference
// converts its operands first.)

extension CMTime {
    /// The sum, exact if a `CMTime` can represent it (R-ARITH-01 to R-ARITH-06).
    ///
    /// - The timescale is that of both operands, or the least common multiple of theirs, at most 1,000,000,000. It is halved while an operand or the
    ///   sum overflows, with default rounding; an overflow at timescale 1 gives ±∞.
    /// - An invalid operand makes the sum invalid, an infinite one infinite, an indefinite one indefinite; the sum of opposite infinities is invalid.
    /// - If the epochs differ, the sum is invalid, unless one epoch is 0: then the sum has the other epoch. The sum of two times with the same epoch
    ///   has epoch 0.
    public static func + (addend1: CMTime, addend2: CMTime) -> CMTime {
        combine(addend1, addend2, subtracting: false)
    }

    /// The difference, by the rules of `+`: (+∞) − (+∞) is invalid, and (+∞) − (−∞) is +∞ (R-ARITH-04).
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
            // Each operand is converted separately, as measured on Apple's systems (GV-53, GV-54).
            if let x = a.value(at: scale), let y = b.value(at: scale) {
                let (sum, overflow) = subtracting ? x.value.subtractingReportingOverflow(y.value) : x.value.addingReportingOverflow(y.value)
                if !overflow {
                    let flags: CMTimeFlags = x.isExact && y.isExact ? inherited : [.valid, .hasBeenRounded]
                    return CMTime(value: sum, timescale: scale, flags: flags, epoch: epoch)
                }
                // A sum or difference that overflows has the sign of the first operand.
                if scale == 1 { return .infinity(negative: x.value < 0) }
            }
            scale = max(1, scale / 2)
        }
    }

    /// The value in units of `1 / scale` seconds; nil on overflow, but never at timescale 1.
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
    /// Whether an infinite time is negative; nil if the time is not infinite.
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
    /// The product with an integer. It keeps the timescale, halved while the value overflows (R-ARITH-03, R-ARITH-07). 0 × ∞ is invalid, as we chose.
    func multiplied(by multiplier: Int32) -> CMTime {
        switch kind {
        case .invalid: return .invalid
        case .indefinite: return .indefinite
        case .positiveInfinity, .negativeInfinity: return infinity(times: multiplier.signum())
        case .finite: return ExactFraction(Int128(value) * Int128(multiplier), Int128(timescale)).time(at: timescale, flags: flags, epoch: epoch)
        }
    }

    /// The product, exact if a `CMTime` can represent it (R-ARITH-09).
    ///
    /// The value is multiplied by the numerator of the ratio, and the timescale by its denominator, in lowest terms. Only if they do not fit, the
    /// product is reduced, and if necessary rounded at the largest timescale that fits. A divisor of 0 gives ±∞, or invalid for 0 / 0.
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

    /// The exact product, rounded once. Its timescale is doubled until it is at least 65,536, as in Apple's header, and halved while the value
    /// overflows. Newer Apple systems are reported to use 1,000,000,000, so compare products by value (R-ARITH-08, J-4). NaN and 0 × ∞ are invalid,
    /// as we chose.
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

    /// The absolute value. The timescale is halved for the only value whose negation overflows (R-ARITH-03, R-ARITH-10).
    var absoluteValue: CMTime {
        switch kind {
        case .negativeInfinity: .positiveInfinity
        case .finite where value < 0: ExactFraction(-Int128(value), Int128(timescale)).time(at: timescale, flags: flags, epoch: epoch)
        default: self
        }
    }

    /// The product of this infinite time and a number with the sign `sign`; invalid for a number of 0.
    private func infinity(times sign: some BinaryInteger) -> CMTime {
        sign == 0 ? .invalid : .infinity(negative: (kind == .negativeInfinity) != (sign < 0))
    }

    /// The time nearest to the fraction; exactly the fraction if it fits.
    private init(ratio: ExactFraction, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        for candidate in [ratio, ratio.reduced] where candidate.denominator <= UInt128(CMTimeScale.max.magnitude) {
            let scale = CMTimeScale(candidate.denominator)
            if let (value, _) = candidate.value(at: scale) {
                self.init(value: value, timescale: scale, flags: flags, epoch: epoch)
                return
            }
        }
        // The ratio is not 0, because 0 always fits. The scale is the largest at which the value is below 2⁶³.
        let limit = UInt128(CMTimeValue.max) * ratio.denominator / ratio.numerator
        let scale = CMTimeScale(min(limit, UInt128(CMTimeScale.max.magnitude)))
        self = scale == 0 ? .infinity(negative: ratio.isNegative) : ratio.time(at: scale, flags: flags, epoch: epoch)
    }

    /// The product of the magnitude and a finite `multiplier` ≥ 0, exact down to 2⁻⁹⁶; the last bit is set if a smaller digit is not 0. Nil if it
    /// overflows at every timescale.
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
            // The product exceeds 2¹²⁸ / 2³¹ seconds, which no time can represent.
            guard numerator.leadingZeroBitCount >= exponent else { return nil }
            return ExactFraction(isNegative: isNegative, numerator: numerator << exponent, denominator: denominator)
        }
        let fractionBits = min(-exponent, 96)
        let excess = -exponent - fractionBits
        if excess > 0 {
            // The bits that are cut off are much smaller than the half unit that decides the rounding, so one bit represents them all.
            let cut = excess >= 128 ? numerator : numerator & ((UInt128(1) << excess) - 1)
            numerator = (excess >= 128 ? 0 : numerator >> excess) | (cut == 0 ? 0 : 1)
        }
        return ExactFraction(isNegative: isNegative, numerator: numerator, denominator: denominator << fractionBits)
    }
}

extension CMTime {
    /// Returns −1, 0 or 1. −∞ < every finite time < indefinite < +∞ < invalid; two times of the same kind that is not finite are equal (R-CMP-01). A
    /// larger epoch is later (R-CMP-02); within one epoch, the comparison is exact, by 128-bit products (R-CMP-05).
    func compared(to other: CMTime) -> Int32 {
        let (mine, others) = (kind, other.kind)
        guard mine == .finite, others == .finite else { return order(mine.rawValue, others.rawValue) }
        guard epoch == other.epoch else { return order(epoch, other.epoch) }
        guard timescale != other.timescale else { return order(value, other.value) }
        return order(Int128(value) * Int128(other.timescale), Int128(other.value) * Int128(timescale))
    }
}

private func order<T: Comparable>(_ a: T, _ b: T) -> Int32 { a < b ? -1 : (a == b ? 0 : 1) }

extension CMTime: Comparable {
    /// Equality by `CMTimeCompare`: 1/2 == 2/4, and two invalid times are equal (R-TIME-05).
    public static func == (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) == 0 }
    public static func < (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) < 0 }
    public static func <= (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) <= 0 }
    public static func > (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) > 0 }
    public static func >= (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) >= 0 }
}

extension CMTime: Hashable {
    /// Equal times have equal hashes, whatever their timescales (R-TIME-06).
    public func hash(into hasher: inout Hasher) {
        let kind = kind
        hasher.combine(kind)
        guard kind == .finite else { return }
        let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
        hasher.combine(epoch)
        hasher.combine(value < 0)
        hasher.combine(value.magnitude / divisor)
        hasher.combine(UInt64(timescale.magnitude) / divisor)
    }
}
