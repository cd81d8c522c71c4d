import CoreMedia
import Platform
import PlaybackEngine

/// The pending seek of a player, and the completion of the seek. At most one seek of a player is pending, and each completion is called exactly once
/// (R-SEEK-02, R-SEEK-03).
@MainActor final class SeekCoordinator {
    typealias Completion = @MainActor (Bool) -> Void

    struct Pending {
        var id: UInt64
        var target: CMTime
        var before: CMTime
        var after: CMTime
        /// Whether the position may be estimated, although the tolerances are finite (R-SEEK-21).
        var allowsEstimate: Bool
        /// Whether the request of the seek was sent to the engine. The request of a seek is sent after the item is ready (R-SEEK-06).
        var isPosted: Bool
        var completion: Completion?
    }

    /// Traps if the arguments of a seek are invalid (R-SEEK-07).
    static func checkArguments(_ time: CMTime, _ before: CMTime, _ after: CMTime) {
        demand(time.isValid && !time.isIndefinite, "R-SEEK-07: the time of a seek must be valid and not indefinite")
        demand(
            before.isValid && !before.isIndefinite && before >= .zero && after.isValid && !after.isIndefinite && after >= .zero,
            "R-SEEK-07: the tolerances of a seek must be valid and not negative")
    }

    private var nextID: UInt64 = 1
    /// The identifier of the newest seek; 0 before the first seek.
    var newest: UInt64 { nextID - 1 }
    private(set) var pending: Pending?
    /// Whether the pending seek has taken longer than `SeekProgress.patience`, even if the source has sent no byte since its start (R-SEEK-23).
    private(set) var isLate = false
    /// The timer that marks the pending seek as late (`isLate`); nil if no seek has been sent.
    private var lateness: (any ScheduledAction)?
    /// The landing of the last completed seek: the position of the audio that was heard first after the seek.
    private(set) var landedTime = CMTime.zero

    /// Begins a seek. If the new seek replaces a pending seek, returns the completion of the replaced seek, which the caller must call with false
    /// first (R-SEEK-05); otherwise returns nil.
    func begin(_ target: CMTime, before: CMTime, after: CMTime, allowsEstimate: Bool, completion: Completion?) -> Completion? {
        let superseded = cancel()
        let allowsEstimate = allowsEstimate || before == .positiveInfinity && after == .positiveInfinity
        pending = Pending(
            id: nextID, target: target, before: before, after: after, allowsEstimate: allowsEstimate, isPosted: false, completion: completion)
        nextID += 1
        return superseded
    }

    /// Returns the pending seek as a request for the engine, and marks the seek as sent. Returns nil if no seek has to be sent.
    func post(item: ItemID) -> SeekRequest? {
        guard var seek = pending, !seek.isPosted else { return nil }
        seek.isPosted = true
        pending = seek
        return SeekRequest(
            id: seek.id, item: item, time: seek.target, toleranceBefore: seek.before, toleranceAfter: seek.after,
            allowsEstimate: seek.allowsEstimate)
    }

    /// Stores the timer that marks the pending seek as late. The end of the seek cancels this timer.
    func setLateness(_ timer: any ScheduledAction) { lateness = timer }

    /// Marks the pending seek as late, because its timer has ended.
    func becomeLate() { isLate = pending != nil }

    /// Records the landing of a seek or of the start of an item: the position that is heard first.
    func landed(at time: CMTime) { landedTime = time }

    /// Ends a seek and returns its completion; nil if the seek was cancelled or replaced before.
    func finish(_ id: UInt64) -> Completion? {
        guard pending?.id == id else { return nil }
        return cancel()
    }

    /// Cancels the pending seek and returns its completion, which the caller must call with false.
    func cancel() -> Completion? {
        lateness?.cancel()
        defer { (pending, isLate, lateness) = (nil, false, nil) }
        return pending?.completion
    }
}
