extension CMTime {
    /// Returns the time itself if it is in `range`, otherwise the nearer end of the range. For a time after the range, returns `range.end`, although
    /// the range does not contain its end. The returned time is invalid if the time is invalid, or if the range is empty or invalid (R-RANGE-06).
    func clamped(to range: CMTimeRange) -> CMTime {
        guard kind != .invalid, range.isValid, !range.isEmpty else { return .invalid }
        return self < range.start ? range.start : min(self, range.end)
    }

    /// Maps the time `self` (`t`) linearly from `source` to `target`: (t − source.start) × target.duration / source.duration + target.start
    /// (R-RANGE-07).
    ///
    /// - The ends of the range `source` are mapped to the ends of the range `target`. Times outside `source` are mapped by the same formula as times
    ///   inside `source`.
    /// - If the durations of both ranges are +∞, the time is only moved by the difference of the ranges' starts. The mapped time is invalid if only
    ///   one range has an infinite duration, if a range is empty or invalid, or if the time and `source` have different epochs.
    /// - If the mapped time is exact at the timescale of `target`, it has that timescale. A mapped time that is not exact at that timescale is
    ///   truncated to timescale 1,000,000,000, and has the flag `hasBeenRounded` (R-RANGE-08).
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

    /// Scales the duration `self` (`dur`) in the same way as the range `source` is stretched to `target`: dur × target.duration / source.duration.
    ///
    /// If both ranges have the duration +∞, the duration `dur` is unchanged. The scaled duration is invalid if only one range has an infinite
    /// duration, if a range is empty or invalid, or if `dur` is not numeric or has an epoch other than 0. If the scaled duration is exact at the
    /// timescale of `target`, it has that timescale. A scaled duration that is not exact at that timescale is rounded to the nearest value at
    /// timescale 1,000,000,000, and has the flag `hasBeenRounded` (R-RANGE-08).
    func mappedDuration(from source: CMTimeRange, to target: CMTimeRange) -> CMTime {
        guard kind == .finite, epoch == 0, source.isMappable, target.isMappable else { return .invalid }
        if source.duration.isPositiveInfinity && target.duration.isPositiveInfinity { return self }
        guard let slope = Slope(from: source, to: target) else { return .invalid }
        let inherited: CMTimeFlags = hasBeenRounded || slope.isRounded ? [.valid, .hasBeenRounded] : .valid
        return Self.fitted(at: target.duration.timescale, flags: inherited, epoch: 0) { scale in slope.value(of: self, at: scale) }
    }

    /// Moves the time by whole durations of `range` until the time is in the range (R-RANGE-09).
    ///
    /// The folded time is exact at the least common multiple of all timescales. If the least common multiple of the timescales is above
    /// 1,000,000,000, the folded time is truncated to timescale 1,000,000,000, within the range. A folded time at the start of the range has the
    /// fields of the range's start. If the range's duration is +∞, a time at or after the range's start is unchanged (a choice of this
    /// implementation), and an earlier time becomes invalid. The folded time is also invalid if the time or the range's start is not numeric, if the
    /// range is empty, or if the epochs differ.
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

    /// Returns the time that `compute` returns for the timescale `scale`, if that time is exact. If that time is not exact, the time is computed at
    /// timescale 1,000,000,000 instead. If the value overflows at timescale 1,000,000,000, the timescale is halved until the value fits.
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
    /// Whether the range is valid and not empty, so that times can be mapped from or to the range.
    fileprivate var isMappable: Bool { isValid && !isEmpty }
}

/// The factor of a mapping between two ranges: target.duration / source.duration.
private struct Slope {
    enum Result {
        case fits(CMTimeValue, isExact: Bool)
        case overflows(isNegative: Bool)
    }

    /// The numerator and the denominator of the mapping's factor in lowest terms, each with at most 94 bits.
    private let numerator: UInt128
    private let denominator: UInt128
    let isRounded: Bool

    /// Makes the factor of a mapping between two ranges; nil if a duration is not finite. The durations of both ranges are positive, because the
    /// ranges are not empty.
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

    /// Returns a finite time × the mapping's factor, in units of `1 / scale` seconds, rounded to nearest, halves away from zero.
    func value(of time: CMTime, at scale: CMTimeScale) -> Result {
        guard let product = product(of: time, at: scale) else { return .overflows(isNegative: time.value < 0) }
        let up: Int128 = product.remainder >= product.divisor - product.remainder && product.remainder != 0 ? 1 : 0
        let magnitude = product.whole + up
        return result(time.value < 0 ? -magnitude : magnitude, isExact: product.remainder == 0)
    }

    /// Returns a finite time × the mapping's factor + another finite time, in units of `1 / scale` seconds, truncated toward zero.
    func value(of time: CMTime, plus start: CMTime, at scale: CMTimeScale) -> Result {
        guard let product = product(of: time, at: scale) else { return .overflows(isNegative: time.value < 0) }
        // Each of the two summands is split into a whole number, rounded down, and a fraction in 0 ..< 1.
        let isNegative = time.value < 0 && product.remainder != 0
        let firstWhole = time.value < 0 ? -product.whole - (isNegative ? 1 : 0) : product.whole
        let firstRest = isNegative ? product.divisor - product.remainder : product.remainder
        let units = Int128(start.value) * Int128(scale)
        let secondScale = Int128(start.timescale)
        var (secondWhole, secondRest) = units.quotientAndRemainder(dividingBy: secondScale)
        if secondRest < 0 { (secondWhole, secondRest) = (secondWhole - 1, secondRest + secondScale) }
        // The sum of the two fractions, firstRest / divisor + secondRest / secondScale, is compared with 1 over their common denominator.
        let complement = firstRest.multipliedFullWidth(by: secondScale.magnitude)
        let missing = (product.divisor).multipliedFullWidth(by: (secondScale - secondRest).magnitude)
        let carries = complement.high > missing.high || (complement.high == missing.high && complement.low >= missing.low)
        let isWhole = (firstRest == 0 && secondRest == 0) || (complement.high == missing.high && complement.low == missing.low)
        let floor = firstWhole + secondWhole + (carries ? 1 : 0)
        return result(floor < 0 && !isWhole ? floor + 1 : floor, isExact: isWhole)
    }

    /// Returns |time| × factor × scale, as a whole number and a remainder; nil if the product exceeds the largest value that a time can have.
    private func product(of time: CMTime, at scale: CMTimeScale) -> (whole: Int128, remainder: UInt128, divisor: UInt128)? {
        // The fraction time.value · scale / time.timescale is reduced to lowest terms, so that the divisor has at most 125 bits.
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
