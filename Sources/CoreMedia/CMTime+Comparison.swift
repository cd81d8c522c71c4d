extension CMTime {
    /// −1, 0 or 1: −∞ < every finite time < indefinite < +∞ < invalid; two of a kind that is not finite are equal (R-CMP-01). A larger epoch is later
    /// (R-CMP-02); within one, the comparison is exact, by 128-bit products (R-CMP-05).
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
    /// By `CMTimeCompare`: 1/2 == 2/4, and two invalid times are equal (R-TIME-05).
    public static func == (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) == 0 }
    public static func < (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) < 0 }
    public static func <= (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) <= 0 }
    public static func > (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) > 0 }
    public static func >= (time1: CMTime, time2: CMTime) -> Bool { time1.compared(to: time2) >= 0 }
}

extension CMTime: Hashable {
    /// Equal times have equal hashes, whatever their timescales (R-TIME-06).
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
