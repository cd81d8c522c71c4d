/// Counts that are computed from what a file or a server states, which may be any number.
extension Int64 {
    /// The whole part of `value`, moved to within `PacketClock.furthest` of 0, so that sums of a few need no care; 0 for what is not a number.
    init(bounded value: Double) {
        let limit = Double(PacketClock.furthest)
        self = value.isNaN ? 0 : Int64(Swift.max(-limit, Swift.min(limit, value)))
    }
}
