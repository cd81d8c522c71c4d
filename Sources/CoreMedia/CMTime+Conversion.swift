/// How a time is rounded that a new timescale cannot represent (R-CONV-01).
public enum CMTimeRoundingMethod: UInt32, Sendable, Hashable {
    /// Rounds to the nearest value; the default.
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Rounds toward zero for a smaller timescale, away from zero for a larger one; a negative time never becomes zero (R-CONV-02).
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

extension CMTimeRoundingMethod {
    /// Whether rounding adds one to a magnitude from which the truncation has cut off `remainder` / `divisor`. `quickTime` rounds as for a smaller
    /// timescale here; for a larger one the caller passes `roundAwayFromZero`.
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

    /// True if a small negative value becomes −1 instead of 0.
    var keepsNegatives: Bool { self == .quickTime }
}

extension CMTime {
    /// Converts the time to a timescale, keeps the flags and the epoch, and sets `hasBeenRounded` if it rounds. A time that is not numeric is
    /// unchanged (R-CONV-03). A timescale that is not positive gives an invalid time, an overflow ±∞ (R-CONV-04).
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

extension CMTime {
    /// The time is **truncated** toward zero to the timescale: 0.5 s at timescale 1 is 0 (R-TIME-21). Tonearm makes positions from frame counts
    /// instead (R-TIME-24).
    ///
    /// - If the value overflows, the timescale is halved; at timescale 1 the time is ±∞ (R-TIME-20).
    /// - `hasBeenRounded` is set if the property `seconds` of the new time differs from the argument.
    /// - A timescale that is not positive gives an invalid time; ±∞ stays, and NaN becomes a rounded zero (R-TIME-22).
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0 else {
            self = .invalid
            return
        }
        guard !seconds.isNaN else {
            self.init(value: 0, timescale: preferredTimescale, flags: [.valid, .hasBeenRounded], epoch: 0)
            return
        }
        var scale = preferredTimescale
        while true {
            if let value = CMTimeValue(truncating: seconds * Double(scale)) {
                self.init(value: value, timescale: scale, flags: .valid, epoch: 0)
                if self.seconds != seconds { flags.insert(.hasBeenRounded) }
                return
            }
            guard scale > 1 else {
                self = .infinity(negative: seconds < 0)
                return
            }
            scale /= 2
        }
    }

    /// The seconds, regardless of the epoch; ±∞ for infinite times, NaN for indefinite and invalid ones (R-TIME-23).
    public var seconds: Double {
        switch kind {
        case .finite: Double(value) / Double(timescale)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .indefinite, .invalid: .nan
        }
    }
}

extension CMTimeValue {
    /// The number truncated toward zero; nil on overflow.
    fileprivate init?(truncating number: Double) {
        self.init(exactly: number.rounded(.towardZero))
    }
}
