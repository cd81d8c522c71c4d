extension CMTime {
    /// Returns −1 if `self` is before the time `other`, 0 if both times are equal, and 1 if `self` is after `other`.
    ///
    /// The order of times is: −∞ < every finite time < indefinite < +∞ < invalid. Two times of the same kind are equal, unless they are finite
    /// (R-CMP-01). Of two finite times, the time with the larger epoch is later (R-CMP-02). Finite times of one epoch are compared exactly, by
    /// 128-bit products (R-CMP-05).
    func compared(to other: CMTime) -> Int32 {
        let (mine, others) = (kind, other.kind)
        guard mine == .finite, others == .finite else { return order(mine.rawValue, others.rawValue) }
        guard epoch == other.epoch else { return order(epoch, other.epoch) }
        guard timescale != other.timescale else { return order(value, other.value) }
        return order(Int128(value) * Int128(other.timescale), Int128(other.value) * Int128(timescale))
    }
}

private func order<T: Comparable>(_ a: T, _ b: T) -> Int32 { a < b ? -1 : (a == b ? 0 : 1) }

extension CMTime: Comparable {
    /// Whether two times are equal by `CMTimeCompare`, not by their fields: 1/2 == 2/4, and two invalid times are equal (R-TIME-05).
    public static func == (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) == 0 }
    public static func < (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) < 0 }
    public static func <= (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) <= 0 }
    public static func > (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) > 0 }
    public static func >= (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) >= 0 }
}

extension CMTime: Hashable {
    /// Hashes the kind of the time and, if the time is finite, its epoch and its seconds as a fraction in lowest terms. Two equal times have equal
    /// hashes, even if their timescales differ (R-TIME-06).
    public func hash(into hasher: inout Hasher) {
        let kind = kind
        hasher.combine(kind)
        guard kind == .finite else { return }
        let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
        hasher.combine(epoch)
        hasher.combine(value < 0)
        hasher.combine(value.magnitude / divisor)
        hasher.combine(UInt64(timescale.magnitude) / divisor)
    }
}
