/// Converts numbers that were computed from what a file or a server states, and which may therefore have any value.
extension Int64 {
    /// Makes the integer part of `value`, limited to ±`PacketClock.furthest` so that sums of a few such numbers cannot overflow; 0 for NaN.
    init(bounded value: Double) {
        let limit = Double(PacketClock.furthest)
        self = value.isNaN ? 0 : Int64(Swift.max(-limit, Swift.min(limit, value)))
    }
}
