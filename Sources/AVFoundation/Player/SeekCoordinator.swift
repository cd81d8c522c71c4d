import CoreMedia
import Platform
import PlaybackEngine

/// The pending seek, at most one; each completion is called exactly once (R-SEEK-02, R-SEEK-03).
@Turn final class SeekCoordinator {
    /// Called on the main queue.
    typealias Completion = @Sendable (Bool) -> Void

    struct Pending {
        var id: UInt64
        var target: CMTime
        var before: CMTime
        var after: CMTime
        /// Whether the landing may be an estimate although the tolerances are finite (R-SEEK-21).
        var allowsEstimate: Bool
        /// Whether the seek was sent to the engine, which happens once the item is ready (R-SEEK-06).
        var isPosted: Bool
        var completion: Completion?
    }

    /// Traps if a seek's arguments are invalid (R-SEEK-07).
    nonisolated static func checkArguments(_ time: CMTime, _ before: CMTime, _ after: CMTime) {
        demand(time.isValid && !time.isIndefinite, "R-SEEK-07: the time of a seek must be valid and not indefinite")
        demand(
            before.isValid && !before.isIndefinite && before >= .zero && after.isValid && !after.isIndefinite && after >= .zero,
            "R-SEEK-07: the tolerances of a seek must be valid and not negative")
    }

    private var nextID: UInt64 = 1
    /// The number of the newest seek; 0 before the first.
    var newest: UInt64 { nextID - 1 }
    private(set) var pending: Pending?
    /// Whether the pending seek takes longer than `SeekProgress.patience` seconds, also if no byte has arrived (R-SEEK-23).
    private(set) var isLate = false
    private var lateness: TurnTimer?
    /// The position that the last completed seek reached, or at which the item started.
    private(set) var landedTime = CMTime.zero

    nonisolated init() {}

    /// Begins a seek. Returns the completion of a replaced seek, to be called with false first (R-SEEK-05).
    func begin(_ target: CMTime, before: CMTime, after: CMTime, allowsEstimate: Bool, completion: Completion?) -> Completion? {
        let superseded = cancel()
        let allowsEstimate = allowsEstimate || before == .positiveInfinity && after == .positiveInfinity
        pending = Pending(
            id: nextID, target: target, before: before, after: after, allowsEstimate: allowsEstimate, isPosted: false, completion: completion)
        nextID += 1
        return superseded
    }

    /// Marks the pending seek as sent, and returns its request for the engine; nil if no seek has to be sent.
    func post(item: ItemID) -> SeekRequest? {
        guard var seek = pending, !seek.isPosted else { return nil }
        seek.isPosted = true
        pending = seek
        return SeekRequest(
            id: seek.id, item: item, time: seek.target, toleranceBefore: seek.before, toleranceAfter: seek.after,
            allowsEstimate: seek.allowsEstimate)
    }

    /// Sets the timer that makes the seek late; the end of the seek cancels the timer.
    func setLateness(_ timer: TurnTimer) { lateness = timer }

    func becomeLate() { isLate = pending != nil }

    /// Stores the position that a seek has reached, or at which an item starts.
    func landed(at time: CMTime) { landedTime = time }

    /// Ends the seek, and returns its completion; nil if the seek was cancelled or replaced.
    func finish(_ id: UInt64) -> Completion? {
        guard pending?.id == id else { return nil }
        return cancel()
    }

    /// Cancels the seek, and returns its completion, which the caller calls with false.
    func cancel() -> Completion? {
        lateness?.cancel()
        defer { (pending, isLate, lateness) = (nil, false, nil) }
        return pending?.completion
    }
}
