import CoreMedia
import PlaybackEngine

/// Which seek is under way, and whom to tell: at most one is, and each completion is called exactly once (R-SEEK-02, R-SEEK-03). Pure.
struct SeekCoordinator {
    typealias Completion = @MainActor (Bool) -> Void

    struct Pending {
        var id: UInt64
        var target: CMTime
        var before: CMTime
        var after: CMTime
        /// The engine has been asked; until the item is ready it has not (R-SEEK-06).
        var isPosted: Bool
        var completion: Completion?
    }

    /// Traps where a program asks for a seek that means nothing (R-SEEK-07).
    static func checkArguments(_ time: CMTime, _ before: CMTime, _ after: CMTime) {
        demand(time.isValid && !time.isIndefinite, "R-SEEK-07: the time of a seek must be valid and not indefinite")
        demand(
            before.isValid && !before.isIndefinite && before >= .zero && after.isValid && !after.isIndefinite && after >= .zero,
            "R-SEEK-07: the tolerances of a seek must be valid and not negative")
    }

    private var nextID: UInt64 = 1
    /// The newest seek so far, 0 before the first.
    var newest: UInt64 { nextID - 1 }
    private(set) var pending: Pending?

    /// Takes a new seek; returns the completion of the one it supersedes, to be called with false before anything else (R-SEEK-05).
    mutating func begin(_ target: CMTime, before: CMTime, after: CMTime, completion: Completion?) -> Completion? {
        let superseded = pending?.completion
        pending = Pending(id: nextID, target: target, before: before, after: after, isPosted: false, completion: completion)
        nextID += 1
        return superseded
    }

    /// The request for the engine; the pending seek is now its business.
    mutating func post(item: ItemID) -> SeekRequest? {
        guard var seek = pending, !seek.isPosted else { return nil }
        seek.isPosted = true
        pending = seek
        return SeekRequest(id: seek.id, item: item, time: seek.target, toleranceBefore: seek.before, toleranceAfter: seek.after)
    }

    /// The seek with this id is over; returns its completion, nil where it was cancelled or superseded before.
    mutating func finish(_ id: UInt64) -> Completion? {
        guard pending?.id == id else { return nil }
        return cancel()
    }

    /// Forgets the pending seek; returns its completion, to be called with false.
    mutating func cancel() -> Completion? {
        defer { pending = nil }
        return pending?.completion
    }
}
