extension CMTime {
    /// The time nearest to `seconds` on the side of zero, in units of `1 / preferredTimescale` seconds.
    ///
    /// - The value is **truncated**, not rounded to nearest: 0.5 s at scale 1 is 0 (R-TIME-21). Positions should be made of frame counts, never
    ///   this way (R-TIME-24).
    /// - Where the value would overflow, the scale is halved until it fits; what does not fit at scale 1 is ±∞ (R-TIME-20).
    /// - `hasBeenRounded` is set where converting back gives another number.
    /// - A timescale that is not positive gives an invalid time; ±∞ seconds give ±∞; NaN gives zero, flagged as rounded (R-TIME-22).
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

    /// The time in seconds: `value / timescale` in floating point, whatever the epoch; ±∞ for the infinities, NaN where there is no number
    /// (R-TIME-23).
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
    /// The whole part of `number`, or nil where it does not fit.
    fileprivate init?(truncating number: Double) {
        self.init(exactly: number.rounded(.towardZero))
    }
}
