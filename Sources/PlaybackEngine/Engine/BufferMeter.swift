public import CoreMedia

/// Computes the heard item's buffer level. The engine's thread owns it.
final class BufferMeter {
    /// The decoded audio that is not heard yet.
    struct Decoded {
        /// The heard position; nil if nothing was rendered.
        var position: CMTime?
        var frames: Double
        var seconds: Double
        var isEnded: Bool
        /// Whether the feeder has stopped reading because enough audio is decoded.
        var isFull: Bool
        var rate: Double
    }

    /// The least movement of a remote medium's buffered end that is reported: in seconds of media, or as a part of the buffer if that is more. The
    /// threshold limits the number of events while a fast transfer fills a buffer of minutes.
    private static let reportedMovement = (seconds: 1.0, part: 1.0 / 16)

    private var last: (item: ItemID, level: BufferLevel)?
    private var estimator = KeepUpEstimator()
    private var estimated: ItemID?

    /// Makes `level` return the next level even if it is the same.
    func forget() { last = nil }

    /// The level of the buffer; nil if since the last level neither the item nor a flag nor a remote medium's buffered end (`reportedMovement`) has
    /// changed. While the connection is lost, the buffered end does not move.
    /// - Parameter wantsRunning: Whether audio is due, so that an empty buffer is a stall.
    func level(of item: ItemID, _ decoded: Decoded, _ facts: ItemFacts, wantsRunning: Bool) -> BufferLevel? {
        let level = level(of: item, decoded, facts)
        if let last, last.item == item, last.level.isEmpty == level.isEmpty, last.level.isFull == level.isFull,
            last.level.isLikelyToKeepUp == level.isLikelyToKeepUp, facts.reserve(of: item) == nil || !hasMoved(level, from: last.level)
        {
            return nil
        }
        // A lost connection of a live stream (R-NET-08) does not show that the transfer is slow.
        if wantsRunning, level.isEmpty, let last, last.item == item, !last.level.isEmpty, !facts.isLostStation(item) { estimator.stalled() }
        last = (item, level)
        return level
    }

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
        // R-WAIT-03: the buffer is full if the item's end is decoded, or if feeder and transfer both wait until some audio has been heard.
        let seconds = decoded.rate < 0 ? decoded.seconds : buffer.ahead
        return BufferLevel(
            seconds: seconds, end: decoded.end(after: seconds), isEmpty: isEmpty, isFull: decoded.isEnded || decoded.isFull && reserve.isFull,
            isLikelyToKeepUp: decoded.isEnded || enough && estimator.isLikely(buffer, rate: decoded.rate))
    }
}

extension BufferMeter.Decoded {
    /// The end of the buffered audio, in the direction of playback.
    fileprivate func end(after seconds: Double) -> CMTime? {
        guard let position else { return nil }
        return max(.zero, position + CMTime(seconds: rate < 0 ? -seconds : seconds, preferredTimescale: position.timescale))
    }
}

/// The audio of an item that is buffered and not yet heard: the decoded audio, and of a remote medium also what is transferred ahead.
public struct BufferLevel: Sendable, Hashable {
    /// The buffered audio in the direction of playback, in seconds of media; in reverse only decoded audio, because transferred bytes are of later
    /// audio.
    public var seconds: Double
    /// The position at which the buffered audio ends; nil if nothing has been rendered.
    public var end: CMTime?
    /// Whether no decoded audio is left, and the item's end is not decoded either.
    public var isEmpty: Bool
    /// Whether nothing more is buffered for now: the item's end is decoded, or all buffers are full.
    public var isFull: Bool
    /// Whether playback would probably continue without a stall if it started now (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(seconds: Double, end: CMTime? = nil, isEmpty: Bool, isFull: Bool, isLikelyToKeepUp: Bool) {
        self.seconds = seconds
        self.end = end
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
