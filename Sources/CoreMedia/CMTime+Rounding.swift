/// What happens to a value that does not lie on the new scale (R-CONV-01).
public enum CMTimeRoundingMethod: UInt32, Sendable, Hashable {
    /// To the nearest; halves away from zero. The default.
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero when going to a smaller scale, away from zero when going to a larger one; a negative time never becomes zero (R-CONV-02).
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

extension CMTimeRoundingMethod {
    /// Whether a magnitude that was cut off goes up by one. `remainder` is what was cut, in units of 1/`divisor`. `quickTime` stands for its half
    /// that cuts.
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

    /// Whether a negative number that rounds to zero becomes the smallest negative one instead.
    var keepsNegatives: Bool { self == .quickTime }
}

extension CMTime {
    /// The same time in units of `1 / newTimescale` seconds.
    ///
    /// Rounding sets `hasBeenRounded`; a flag already set stays, and so does the epoch. A time that is not numeric stays what it is (R-CONV-03). A
    /// new scale that is not positive gives an invalid time; a value that does not fit gives ±∞ (R-CONV-04).
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
