extension CMTime {
    /// The time if it is in the range, otherwise the nearer end: after the range `range.end`, although the range does not contain it. Invalid if the
    /// time is invalid, or the range empty or invalid (R-RANGE-06).
    func clamped(to range: CMTimeRange) -> CMTime {
        guard kind != .invalid, range.isValid, !range.isEmpty else { return .invalid }
        return self < range.start ? range.start : min(self, range.end)
    }

    /// Maps this time t to (t − source.start) × target.duration / source.duration + target.start, also if it is outside `source` (R-RANGE-07).
    ///
    /// - If both durations are infinite, the time only moves from one start to the other. The result is invalid if one duration is infinite, a range
    ///   is empty or invalid, or the epochs differ.
    /// - The result has the timescale of `target` if it is exact there; otherwise it is truncated at timescale 1,000,000,000, with `hasBeenRounded`
    ///   (R-RANGE-08).
    func mapped(from source: CMTimeRange, to target: CMTimeRange) -> CMTime {
        guard kind != .invalid, source.isMappable, target.isMappable else { return .invalid }
        if isNumeric && source.start.isNumeric && epoch != source.start.epoch { return .invalid }
        if self == source.start { return target.start }
        if self == source.end { return target.end }
        guard kind == .finite else { return self }
        if source.duration.isPositiveInfinity && target.duration.isPositiveInfinity {
            return CMTime(value: value, timescale: timescale, flags: flags, epoch: 0) - source.start.withoutEpoch + target.start
        }
        guard source.start.kind == .finite, target.start.kind == .finite, let slope = Slope(from: source, to: target) else { return .invalid }
        let offset = withoutEpoch - source.start.withoutEpoch
        guard offset.kind == .finite else { return .invalid }
        let inherited: CMTimeFlags = offset.hasBeenRounded || slope.isRounded || target.start.hasBeenRounded ? [.valid, .hasBeenRounded] : .valid
        return Self.fitted(at: .common(target.start.timescale, target.duration.timescale), flags: inherited, epoch: target.start.epoch) { scale in
            slope.value(of: offset, plus: target.start, at: scale)
        }
    }

    /// This duration × target.duration / source.duration; unchanged if both ranges have infinite durations. Invalid if one range has an infinite
    /// duration, is empty or invalid, or this duration is not numeric or has an epoch. The result has the timescale of `target` if it is exact there;
    /// otherwise it is rounded at timescale 1,000,000,000, with `hasBeenRounded` (R-RANGE-08).
    func mappedDuration(from source: CMTimeRange, to target: CMTimeRange) -> CMTime {
        guard kind == .finite, epoch == 0, source.isMappable, target.isMappable else { return .invalid }
        if source.duration.isPositiveInfinity && target.duration.isPositiveInfinity { return self }
        guard let slope = Slope(from: source, to: target) else { return .invalid }
        let inherited: CMTimeFlags = hasBeenRounded || slope.isRounded ? [.valid, .hasBeenRounded] : .valid
        return Self.fitted(at: target.duration.timescale, flags: inherited, epoch: 0) { scale in slope.value(of: self, at: scale) }
    }

    /// Moves the time into the range by whole durations (R-RANGE-09). The result is exact at the least common multiple of all timescales, or
    /// truncated at timescale 1,000,000,000, within the range; a result at the range's start has the fields of the start. In a range of infinite
    /// duration a time from the start on is unchanged (as we chose), and an earlier one becomes invalid. The result is also invalid if the time or
    /// the start is not numeric, the range is empty, or the epochs differ.
    func folded(into range: CMTimeRange) -> CMTime {
        guard kind == .finite, range.isMappable, range.start.kind == .finite, epoch == range.start.epoch else { return .invalid }
        if range.duration.isPositiveInfinity { return self >= range.start ? self : .invalid }
        guard range.duration.kind == .finite else { return .invalid }
        let (start, length) = (range.start, range.duration)
        let scales = Int128(timescale) * Int128(start.timescale)
        let offset = (Int128(value) * Int128(start.timescale) - Int128(start.value) * Int128(timescale)) * Int128(length.timescale)
        let period = Int128(length.value) * scales
        var rest = offset % period
        if rest < 0 { rest += period }
        guard rest != 0 else { return start }
        let denominator = scales * Int128(length.timescale)
        let sum = ExactFraction(Int128(start.value) * Int128(timescale) * Int128(length.timescale) + rest, denominator)
        let rounded = hasBeenRounded || start.hasBeenRounded || length.hasBeenRounded
        let scale = CMTimeScale.common(.common(timescale, start.timescale), length.timescale)
        let folded = sum.time(at: scale, .roundTowardNegativeInfinity, flags: rounded ? [.valid, .hasBeenRounded] : .valid, epoch: start.epoch)
        return max(folded, start)
    }

    private var withoutEpoch: CMTime { CMTime(value: value, timescale: timescale, flags: flags, epoch: 0) }

    /// The time at timescale `scale` if it is exact there, otherwise at 1,000,000,000, halved until the value fits.
    private static func fitted(
        at scale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch, _ compute: (CMTimeScale) -> Slope.Result
    ) -> CMTime {
        if case .fits(let value, isExact: true) = compute(scale) { return CMTime(value: value, timescale: scale, flags: flags, epoch: epoch) }
        var scale = CMTimeScale.measuredLimit
        while true {
            switch compute(scale) {
            case .fits(let value, let isExact):
                return CMTime(value: value, timescale: scale, flags: isExact ? flags : flags.union(.hasBeenRounded), epoch: epoch)
            case .overflows(let isNegative):
                if scale == 1 { return .infinity(negative: isNegative) }
                scale /= 2
            }
        }
    }
}

extension CMTimeRange {
    /// True if times can be mapped from or to the range.
    fileprivate var isMappable: Bool { isValid && !isEmpty }
}

/// The fraction target.duration / source.duration.
private struct Slope {
    enum Result {
        case fits(CMTimeValue, isExact: Bool)
        case overflows(isNegative: Bool)
    }

    /// Numerator and denominator are in lowest terms, at most 94 bits each.
    private let numerator: UInt128
    private let denominator: UInt128
    let isRounded: Bool

    /// Nil if a duration is not finite. Both durations are positive, because the ranges are not empty.
    init?(from source: CMTimeRange, to target: CMTimeRange) {
        guard source.duration.kind == .finite, target.duration.kind == .finite else { return nil }
        let fraction = ExactFraction(
            isNegative: false,
            numerator: UInt128(target.duration.value.magnitude) * UInt128(source.duration.timescale.magnitude),
            denominator: UInt128(target.duration.timescale.magnitude) * UInt128(source.duration.value.magnitude)
        ).reduced
        (numerator, denominator) = (fraction.numerator, fraction.denominator)
        isRounded = source.duration.hasBeenRounded || target.duration.hasBeenRounded
    }

    /// The mapped time in units of `1 / scale` seconds, rounded to nearest, halves away from zero.
    func value(of time: CMTime, at scale: CMTimeScale) -> Result {
        guard let product = product(of: time, at: scale) else { return .overflows(isNegative: time.value < 0) }
        let up: Int128 = product.remainder >= product.divisor - product.remainder && product.remainder != 0 ? 1 : 0
        let magnitude = product.whole + up
        return result(time.value < 0 ? -magnitude : magnitude, isExact: product.remainder == 0)
    }

    /// The mapped time plus `start`, in units of `1 / scale` seconds, truncated.
    func value(of time: CMTime, plus start: CMTime, at scale: CMTimeScale) -> Result {
        guard let product = product(of: time, at: scale) else { return .overflows(isNegative: time.value < 0) }
        // Each summand is a whole number, rounded down, and a fraction in 0 ..< 1.
        let isNegative = time.value < 0 && product.remainder != 0
        let firstWhole = time.value < 0 ? -product.whole - (isNegative ? 1 : 0) : product.whole
        let firstRest = isNegative ? product.divisor - product.remainder : product.remainder
        let units = Int128(start.value) * Int128(scale)
        let secondScale = Int128(start.timescale)
        var (secondWhole, secondRest) = units.quotientAndRemainder(dividingBy: secondScale)
        if secondRest < 0 { (secondWhole, secondRest) = (secondWhole - 1, secondRest + secondScale) }
        // The sum of the fractions is compared with 1 over their common denominator.
        let complement = firstRest.multipliedFullWidth(by: secondScale.magnitude)
        let missing = (product.divisor).multipliedFullWidth(by: (secondScale - secondRest).magnitude)
        let carries = complement.high > missing.high || (complement.high == missing.high && complement.low >= missing.low)
        let isWhole = (firstRest == 0 && secondRest == 0) || (complement.high == missing.high && complement.low == missing.low)
        let floor = firstWhole + secondWhole + (carries ? 1 : 0)
        return result(floor < 0 && !isWhole ? floor + 1 : floor, isExact: isWhole)
    }

    /// |time| × slope × scale, as a whole number and the fraction `remainder` / `divisor`; nil if it is larger than any time.
    private func product(of time: CMTime, at scale: CMTimeScale) -> (whole: Int128, remainder: UInt128, divisor: UInt128)? {
        // The offset is in lowest terms, so that the divisor has at most 125 bits.
        let offset = ExactFraction(
            isNegative: false, numerator: UInt128(time.value.magnitude) * UInt128(scale.magnitude), denominator: UInt128(time.timescale.magnitude)
        ).reduced
        let divisor = denominator * offset.denominator
        let wide = numerator.multipliedFullWidth(by: offset.numerator)
        guard wide.high < divisor else { return nil }
        let (whole, remainder) = divisor.dividingFullWidth(wide)
        guard whole <= UInt128(UInt64.max) else { return nil }
        return (Int128(whole), remainder, divisor)
    }

    private func result(_ number: Int128, isExact: Bool) -> Result {
        CMTimeValue(exactly: number).map { .fits($0, isExact: isExact) } ?? .overflows(isNegative: number < 0)
    }
}
