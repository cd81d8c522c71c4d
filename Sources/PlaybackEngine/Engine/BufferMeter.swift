import CoreMedia

/// Computes the buffer level of the heard item (`BufferLevel`) from its decoded audio and, for a remote medium, from the compressed audio that was
/// transferred ahead. The engine's thread owns the `BufferMeter`.
final class BufferMeter {
    /// The decoded audio that is not heard yet.
    struct Decoded {
        /// The media position that is heard; nil if nothing of the item has been rendered.
        var position: CMTime?
        var frames: Double
        var seconds: Double
        /// Whether the item's end is decoded.
        var isEnded: Bool
        /// Whether the feeder has stopped reading, because the queue has enough frames.
        var isFull: Bool
        var rate: Double
    }

    /// The least movement of the end of a remote medium's buffered audio that is reported: this number of seconds of media, or this part of the
    /// buffered audio if that is longer. The part limits the events while a fast transfer fills a buffer of many minutes.
    private static let reportedMovement = (seconds: 1.0, part: 1.0 / 16)

    private var last: (item: ItemID, level: BufferLevel)?
    private var estimator = KeepUpEstimator()
    private var estimated: ItemID?

    /// Discards the last level, so that the next level is returned even if it is the same.
    func forget() { last = nil }

    /// Returns the buffer level of an item if the item or a flag of the level has changed since the level that was returned last, or if the end of a
    /// remote medium's buffered audio has moved (`reportedMovement`); otherwise nil. While a transfer is lost, the end does not move.
    ///
    /// - Parameter wantsRunning: Whether audio is due, so that an empty buffer is a stall.
    func level(of item: ItemID, _ decoded: Decoded, _ facts: ItemFacts, wantsRunning: Bool) -> BufferLevel? {
        let level = level(of: item, decoded, facts)
        if let last, last.item == item, last.level.isEmpty == level.isEmpty, last.level.isFull == level.isFull,
            last.level.isLikelyToKeepUp == level.isLikelyToKeepUp, facts.reserve(of: item) == nil || !hasMoved(level, from: last.level)
        {
            return nil
        }
        // The stall of a live stream whose connection was lost is not counted (R-NET-08), because it does not show that the transfer is slow.
        if wantsRunning, level.isEmpty, let last, last.item == item, !last.level.isEmpty, !facts.isLostStation(item) { estimator.stalled() }
        last = (item, level)
        return level
    }

    /// Whether the end of the buffered audio has moved so far that it is reported.
    private func hasMoved(_ level: BufferLevel, from former: BufferLevel) -> Bool {
        guard let end = level.end, let formerEnd = former.end else { return (level.end == nil) != (former.end == nil) }
        return abs((end - formerEnd).seconds) >= max(Self.reportedMovement.seconds, level.seconds * Self.reportedMovement.part)
    }

    private func level(of item: ItemID, _ decoded: Decoded, _ facts: ItemFacts) -> BufferLevel {
        let isEmpty = decoded.frames < 1 && !decoded.isEnded
        let enough = decoded.isEnded || decoded.seconds >= KeepUpEstimator.leastSeconds * max(1, abs(decoded.rate))
        guard let reserve = facts.reserve(of: item) else {
            return BufferLevel(
                seconds: decoded.seconds, end: decoded.end(after: decoded.seconds), isEmpty: isEmpty, isFull: decoded.isEnded || decoded.isFull,
                isLikelyToKeepUp: enough)
        }
        if estimated != item { (estimated, estimator) = (item, KeepUpEstimator()) }
        if let counts = facts.transferred(of: item) { estimator.count(bytes: counts.byteCount, seconds: counts.seconds) }
        let buffer = KeepUpEstimator.Buffer(
            ahead: decoded.seconds + reserve.ahead, missing: reserve.missing, bytesPerSecond: reserve.bytesPerSecond)
        // R-WAIT-03: the buffer is full if the item's end is decoded, or if both the feeder and the transfer wait until some of the audio has been
        // heard.
        let seconds = decoded.rate < 0 ? decoded.seconds : buffer.ahead
        return BufferLevel(
            seconds: seconds, end: decoded.end(after: seconds), isEmpty: isEmpty, isFull: decoded.isEnded || decoded.isFull && reserve.isFull,
            isLikelyToKeepUp: decoded.isEnded || enough && estimator.isLikely(buffer, rate: decoded.rate))
    }
}

extension BufferMeter.Decoded {
    /// Returns the media time that is `seconds` after the heard position in the direction of playback; nil if no position is heard.
    fileprivate func end(after seconds: Double) -> CMTime? {
        guard let position else { return nil }
        return max(.zero, position + CMTime(seconds: rate < 0 ? -seconds : seconds, preferredTimescale: position.timescale))
    }
}
