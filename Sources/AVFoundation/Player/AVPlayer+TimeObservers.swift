public import CoreMedia
public import Dispatch
public import Foundation

extension AVPlayer {
    /// Calls `block` with the heard time at multiples of `interval` on the item's timeline, and at each jump, start and stop (R-PTO-01…11), also
    /// after the item was replaced.
    ///
    /// The block is called on `queue`, or the main queue; at most one call is pending, and calls never overlap (R-PTO-04). The caller keeps the
    /// returned token for `removeTimeObserver(_:)`; the release of the token removes the observer too. The interval must be numeric and positive.
    @preconcurrency public nonisolated func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue? = nil, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        demand(
            interval.isNumeric && interval.timescale > 0 && interval > .zero, "R-PTO-10: the interval of a periodic time observer must be positive")
        return add(.periodic(PeriodicGrid(interval: interval)), queue: queue, block)
    }

    /// Calls `block` when playback crosses one of `times` (R-BTO-01…09); a pause, a seek and a start there are no crossing. Times that are close
    /// together may share a call, so the block should read the current time. `times` must not be empty; times that are not numeric are ignored.
    @preconcurrency public nonisolated func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        demand(!times.isEmpty, "R-BTO-02: a boundary time observer needs at least one time")
        return add(.boundary(BoundaryTimes(times: times)), queue: queue) { _ in block() }
    }

    /// The times are boxed in `NSValue`, as Apple's interface requires.
    @preconcurrency public nonisolated func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        addBoundaryTimeObserver(forTimes: times.map(\.timeValue), queue: queue, using: block)
    }

    private nonisolated func add(
        _ kind: TimeObservers.Kind, queue: DispatchQueue?, _ block: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        turn {
            catchUp()
            let call = TimeObserverCall(queue: queue, block: block)
            timeObservers.add(kind, call, at: currentTime())
            rearm()
            return TimeObserverToken(call: call)
        }
    }

    /// Removes an observer. No call starts afterwards, not even a pending one (R-RTO-01, R-RTO-04), apart from one that another thread is just about
    /// to start. The token is one that this player returned and that was not removed (R-RTO-03).
    public nonisolated func removeTimeObserver(_ observer: Any) {
        let token = observer as? TimeObserverToken
        turn {
            guard let token, timeObservers.remove(token.call) else {
                fatalError("R-RTO-03: the token is not a time observer of this player, or was already removed")
            }
            rearm()
        }
    }
}
