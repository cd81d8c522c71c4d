/// Numbers computed from what a file or server states have any value.
extension Int64 {
    /// Within ±`PacketClock.furthest`, so that sums of a few cannot overflow; 0 for NaN.
    init(bounded value: Double) {
        let limit = Double(PacketClock.furthest)
        self = value.isNaN ? 0 : Int64(Swift.max(-limit, Swift.min(limit, value)))
    }
}
