/// The method of rounding a value that a new timescale cannot represent exactly (R-CONV-01).
public enum CMTimeRoundingMethod: UInt32, Sendable, Hashable {
    /// To the nearest value; halves away from zero. The default.
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero if the new scale is smaller, away from zero if it is larger. A negative time never becomes zero (R-CONV-02).
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

extension CMTimeRoundingMethod {
    /// Returns whether a truncated magnitude is incremented by one. `remainder` is the truncated part, in units of 1/`divisor`. `quickTime`
    /// truncates here, as for a smaller scale. For a larger scale, the caller passes `roundAwayFromZero`.
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

    /// Whether a negative value that rounds to zero becomes −1 instead.
    var keepsNegatives: Bool { self == .quickTime }
}

extension CMTime {
    /// Returns the time in units of `1 / newTimescale` seconds.
    ///
    /// Rounding sets the flag `hasBeenRounded`. A flag that is already set stays set, and the epoch does not change. A time that is not numeric is
    /// returned unchanged (R-CONV-03). If the new timescale is not positive, the result is invalid; if the value overflows, the result is ±∞
    /// (R-CONV-04).
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
