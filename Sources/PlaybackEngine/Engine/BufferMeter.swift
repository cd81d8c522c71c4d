/// Computes the buffer level of the heard item (`BufferLevel`) from its decoded audio and, for a remote medium, from the compressed audio that was
/// transferred ahead. The engine's thread owns the `BufferMeter`.
final class BufferMeter {
    /// The decoded audio that is not heard yet.
    struct Decoded {
        var frames: Double
        var seconds: Double
        /// Whether the item's end is decoded.
        var isEnded: Bool
        /// Whether the feeder has stopped reading, because the queue has enough frames.
        var isFull: Bool
        var rate: Double
    }

    private var last: (item: ItemID, level: BufferLevel)?
    private var estimator = KeepUpEstimator()
    private var estimated: ItemID?

    /// Discards the last level, because another item is current.
    func forget() { last = nil }

    /// Returns the buffer level of an item if the item or a flag of the level has changed since the level that was returned last; otherwise nil.
    ///
    /// - Parameter wantsRunning: Whether audio is due, so that an empty buffer is a stall.
    func level(of item: ItemID, _ decoded: Decoded, _ facts: ItemFacts, wantsRunning: Bool) -> BufferLevel? {
        let level = level(of: item, decoded, facts)
        if let last, last.item == item, last.level.isEmpty == level.isEmpty, last.level.isFull == level.isFull,
            last.level.isLikelyToKeepUp == level.isLikelyToKeepUp
        {
            return nil
        }
        // The stall of a live stream whose connection was lost is not counted (R-NET-08), because it does not show that the transfer is slow.
        if wantsRunning, level.isEmpty, let last, last.item == item, !last.level.isEmpty, !facts.isLostStation(item) { estimator.stalled() }
        last = (item, level)
        return level
    }

    private func level(of item: ItemID, _ decoded: Decoded, _ facts: ItemFacts) -> BufferLevel {
        let isEmpty = decoded.frames < 1 && !decoded.isEnded
        let enough = decoded.isEnded || decoded.seconds >= KeepUpEstimator.leastSeconds * max(1, abs(decoded.rate))
        guard let reserve = facts.reserve(of: item) else {
            return BufferLevel(seconds: decoded.seconds, isEmpty: isEmpty, isFull: decoded.isEnded || decoded.isFull, isLikelyToKeepUp: enough)
        }
        if estimated != item { (estimated, estimator) = (item, KeepUpEstimator()) }
        if let counts = facts.transferred(of: item) { estimator.count(bytes: counts.byteCount, seconds: counts.seconds) }
        let buffer = KeepUpEstimator.Buffer(
            ahead: decoded.seconds + reserve.ahead, missing: reserve.missing, bytesPerSecond: reserve.bytesPerSecond)
        // R-WAIT-03: the buffer is full if the item's end is decoded, or if both the feeder and the transfer wait until some of the audio has been
        // heard.
        return BufferLevel(
            seconds: buffer.ahead, isEmpty: isEmpty, isFull: decoded.isEnded || decoded.isFull && reserve.isFull,
            isLikelyToKeepUp: decoded.isEnded || enough && estimator.isLikely(buffer, rate: decoded.rate))
    }
}
