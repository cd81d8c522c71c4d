/// The method of rounding a time that a new timescale cannot represent exactly (R-CONV-01).
public enum CMTimeRoundingMethod: UInt32, Sendable, Hashable {
    /// Rounds to the nearest value, and halves away from zero. The default method of rounding.
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Rounds toward zero if the new timescale is smaller than the old one, and away from zero if it is larger. A negative time never becomes zero
    /// (R-CONV-02).
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

extension CMTimeRoundingMethod {
    /// Returns whether a truncated magnitude is incremented by one. The argument `remainder` is the truncated part, in units of 1/`divisor`. The
    /// method `quickTime` is treated as for a smaller timescale, so it truncates. For a larger timescale, the caller passes the method
    /// `roundAwayFromZero` instead.
    func roundsAwayFromZero(remainder: UInt128, of divisor: UInt128, isNegative: Bool) -> Bool {
        guard remainder > 0 else { return false }
        return switch self {
        case .roundHalfAwayFromZero: remainder >= divisor - remainder
        case .roundTowardZero, .quickTime: false
        case .roundAwayFromZero: true
        case .roundTowardPositiveInfinity: !isNegative
        case .roundTowardNegativeInfinity: isNegative
        }
    }

    /// Whether the method rounds a small negative value to −1 instead of 0.
    var keepsNegatives: Bool { self == .quickTime }
}

extension CMTime {
    /// Returns the time in units of `1 / newTimescale` seconds.
    ///
    /// Rounding sets the flag `hasBeenRounded` of the converted time. A conversion keeps the flags that are already set, and the epoch. A time that
    /// is not numeric is returned unchanged (R-CONV-03). If the new timescale is not positive, the converted time is invalid; if its value overflows,
    /// the converted time is ±∞ (R-CONV-04).
    public func convertScale(_ newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
        guard newTimescale > 0 else { return .invalid }
        switch kind {
        case .invalid: return .invalid
        case .indefinite, .positiveInfinity, .negativeInfinity: return self
        case .finite: break
        }
        guard newTimescale != timescale else { return self }
        let effective = method == .quickTime && newTimescale > timescale ? .roundAwayFromZero : method
        guard let (converted, isExact) = ExactFraction(self).value(at: newTimescale, effective) else { return .infinity(negative: value < 0) }
        let newFlags: CMTimeFlags = isExact ? flags : flags.union(.hasBeenRounded)
        return CMTime(value: converted, timescale: newTimescale, flags: newFlags, epoch: epoch)
    }
}
