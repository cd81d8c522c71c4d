extension CMTime {
    /// **Truncated** toward zero to the timescale: 0.5 s at timescale 1 is 0 (R-TIME-21). Tonearm makes positions from frame counts instead
    /// (R-TIME-24).
    ///
    /// - If the value overflows, the timescale is halved; at timescale 1 the time is ±∞ (R-TIME-20).
    /// - `hasBeenRounded` if `seconds` of the new time differs.
    /// - A timescale that is not positive is invalid, ±∞ stays, and NaN becomes a rounded zero (R-TIME-22).
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

    /// Regardless of the epoch; ±∞ for infinite times, NaN for indefinite and invalid ones (R-TIME-23).
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
    /// Nil on overflow.
    fileprivate init?(truncating number: Double) {
        self.init(exactly: number.rounded(.towardZero))
    }
}
