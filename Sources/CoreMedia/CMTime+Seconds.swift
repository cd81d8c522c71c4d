extension CMTime {
    /// Makes a time from `seconds`, truncated toward zero to units of `1 / preferredTimescale` seconds.
    ///
    /// - The seconds are **truncated**, not rounded to nearest: 0.5 s at timescale 1 is 0 (R-TIME-21). Tonearm makes positions from frame counts,
    ///   never with `init(seconds:preferredTimescale:)` (R-TIME-24).
    /// - If the value would overflow, the timescale is halved until the value fits. If the value does not fit at timescale 1, the time is ±∞
    ///   (R-TIME-20).
    /// - The flag `hasBeenRounded` is set if the property `seconds` of the new time differs from the argument.
    /// - If the timescale is not positive, the new time is invalid. For ±∞ seconds the new time is ±∞. For NaN seconds the new time is zero with the
    ///   flag `hasBeenRounded` (R-TIME-22).
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

    /// The time in seconds: `value / timescale` in floating point, regardless of the epoch. The property `seconds` is ±∞ for infinite times, and NaN
    /// for indefinite and invalid times (R-TIME-23).
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
    /// Makes the integral part of `number`; nil if the integral part overflows.
    fileprivate init?(truncating number: Double) {
        self.init(exactly: number.rounded(.towardZero))
    }
}
