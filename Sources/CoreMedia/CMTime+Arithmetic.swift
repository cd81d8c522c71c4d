// Whatever can be computed exactly is; only then is it fitted into a time, and flagged if that took rounding.

extension CMTime {
    /// The sum, exact where it can be (R-ARITH-01 to R-ARITH-06).
    ///
    /// - Equal scales are kept, others meet in their least common multiple, 1,000,000,000 at most. Where an operand or the result overflows there,
    ///   the scale is halved, with default rounding, until it does not; what overflows at scale 1 is ±∞.
    /// - Anything invalid gives invalid. One infinity wins over everything else, two opposite ones give invalid; then indefinite wins.
    /// - Different epochs give invalid, unless one is 0; two times of the same other epoch give epoch 0.
    public static func + (addend1: CMTime, addend2: CMTime) -> CMTime {
        combine(addend1, addend2, subtracting: false)
    }

    /// The difference; see `+`. ∞ − ∞ is invalid, +∞ − −∞ is +∞ (R-ARITH-04).
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
            // Each operand is converted by itself: this, not rounding the exact sum once, is what was measured (GV-53, GV-54).
            if let x = a.value(at: scale), let y = b.value(at: scale) {
                let (sum, overflow) = subtracting ? x.value.subtractingReportingOverflow(y.value) : x.value.addingReportingOverflow(y.value)
                if !overflow {
                    let flags: CMTimeFlags = x.isExact && y.isExact ? inherited : [.valid, .hasBeenRounded]
                    return CMTime(value: sum, timescale: scale, flags: flags, epoch: epoch)
                }
                // Only operands that pull the same way overflow, so the first one tells the direction.
                if scale == 1 { return .infinity(negative: x.value < 0) }
            }
            scale = max(1, scale / 2)
        }
    }

    /// The value in units of `1 / scale`, or nil where it does not fit. At scale 1 it always does.
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
    /// The sign of an infinity, nil for everything else.
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
    /// The time, `multiplier` times. The scale is kept, or halved where the value overflows (R-ARITH-03, R-ARITH-07). 0 × ∞ is invalid (ours).
    func multiplied(by multiplier: Int32) -> CMTime {
        switch kind {
        case .invalid: return .invalid
        case .indefinite: return .indefinite
        case .positiveInfinity, .negativeInfinity: return infinity(times: multiplier.signum())
        case .finite: return ExactFraction(Int128(value) * Int128(multiplier), Int128(timescale)).time(at: timescale, flags: flags, epoch: epoch)
        }
    }

    /// The time × `multiplier` / `divisor`, exactly where it fits (R-ARITH-09).
    ///
    /// The ratio is brought to lowest terms, then multiplies value and timescale; the result is not reduced, unless only that makes it fit. Where
    /// nothing exact fits, the largest scale is taken that holds the result. A divisor of 0 gives ±∞ by the signs, or invalid where the time or the
    /// multiplier is 0 too.
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

    /// The time × a floating-point number, computed exactly and rounded once.
    ///
    /// The scale is the time's own, doubled until it is 65,536 or more, as Apple's header has it; halved where the value overflows. Newer systems
    /// of Apple's are said to take 1,000,000,000 instead: compare results by value (R-ARITH-08, decision J-4). NaN, and 0 × ∞, give invalid (ours).
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

    /// The absolute value: negative values and −∞ change their sign (R-ARITH-10). The one value without an opposite has its scale halved
    /// (R-ARITH-03).
    var absoluteValue: CMTime {
        switch kind {
        case .negativeInfinity: .positiveInfinity
        case .finite where value < 0: ExactFraction(-Int128(value), Int128(timescale)).time(at: timescale, flags: flags, epoch: epoch)
        default: self
        }
    }

    /// This infinity times a number of the given sign.
    private func infinity(times sign: some BinaryInteger) -> CMTime {
        sign == 0 ? .invalid : .infinity(negative: (kind == .negativeInfinity) != (sign < 0))
    }

    /// The time nearest to a fraction, the fraction's own terms being used if they fit.
    private init(ratio: ExactFraction, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        for candidate in [ratio, ratio.reduced] where candidate.denominator <= UInt128(CMTimeScale.max.magnitude) {
            let scale = CMTimeScale(candidate.denominator)
            if let (value, _) = candidate.value(at: scale) {
                self.init(value: value, timescale: scale, flags: flags, epoch: epoch)
                return
            }
        }
        // The fraction is not 0 here: 0/n fits when reduced. The largest scale at which the value stays below 2⁶³:
        let limit = UInt128(CMTimeValue.max) * ratio.denominator / ratio.numerator
        let scale = CMTimeScale(min(limit, UInt128(CMTimeScale.max.magnitude)))
        self = scale == 0 ? .infinity(negative: ratio.isNegative) : ratio.time(at: scale, flags: flags, epoch: epoch)
    }

    /// |this finite time| × a finite, positive number, exactly (or, below 2⁻⁹⁶, so nearly that it rounds alike). Nil where no scale could hold it.
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
            // Beyond 2¹²⁸ / 2³¹ seconds.
            guard numerator.leadingZeroBitCount >= exponent else { return nil }
            return ExactFraction(isNegative: isNegative, numerator: numerator << exponent, denominator: denominator)
        }
        let fractionBits = min(-exponent, 96)
        let excess = -exponent - fractionBits
        if excess > 0 {
            // What is cut off lies far below the half that rounding looks at: one sticky bit stands for it.
            let cut = excess >= 128 ? numerator : numerator & ((UInt128(1) << excess) - 1)
            numerator = (excess >= 128 ? 0 : numerator >> excess) | (cut == 0 ? 0 : 1)
        }
        return ExactFraction(isNegative: isNegative, numerator: numerator, denominator: denominator << fractionBits)
    }
}
