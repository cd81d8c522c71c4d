public import CoreMedia
public import Dispatch
public import Foundation

extension AVPlayer {
    /// Calls `block` with the heard time at every `interval` of media time, and whenever the heard position jumps, begins to advance or stops
    /// advancing (R-PTO-01…11).
    ///
    /// A periodic observer is called at multiples of the interval on the item's timeline, also after the item was replaced. The closure `block` is
    /// called on `queue`; nil is the main queue. At most one call of the observer is pending at a time, and its calls never overlap, not even on a
    /// concurrent queue (R-PTO-04). The caller keeps the returned token, and passes it to `removeTimeObserver(_:)`. The release of the token removes
    /// the observer too. The interval of a periodic observer must be numeric and positive.
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue? = nil, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        demandMainQueue()
        demand(
            interval.isNumeric && interval.timescale > 0 && interval > .zero, "R-PTO-10: the interval of a periodic time observer must be positive")
        return add(.periodic(PeriodicGrid(interval: interval)), queue: queue, block)
    }

    /// Calls `block` when playback crosses one of `times` (R-BTO-01…09). A pause, a seek, and the start of playback at one of the times do not count
    /// as crossing.
    ///
    /// Boundary times that are close together may share a call, so the block should read the current time. The array of boundary times must not be
    /// empty. Boundary times that are not numeric are ignored.
    public func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        demandMainQueue()
        demand(!times.isEmpty, "R-BTO-02: a boundary time observer needs at least one time")
        return add(.boundary(BoundaryTimes(times: times)), queue: queue) { _ in block() }
    }

    /// Adds a boundary observer whose times are boxed in `NSValue` objects, as Apple's interface requires.
    public func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        addBoundaryTimeObserver(forTimes: times.map(\.timeValue), queue: queue, using: block)
    }

    private func add(_ kind: TimeObservers.Kind, queue: DispatchQueue?, _ block: @escaping @Sendable (CMTime) -> Void) -> TimeObserverToken {
        MainTurn.perform {
            catchUp()
            let call = TimeObserverCall(queue: queue, block: block)
            timeObservers.add(kind, call, at: currentTime())
            rearm()
            return TimeObserverToken(call: call)
        }
    }

    /// Removes a time observer. After `removeTimeObserver` has returned, no call of the observer starts, not even a pending call (R-RTO-01,
    /// R-RTO-04). The argument must be a token that this player returned and that was not removed before (R-RTO-03).
    public func removeTimeObserver(_ observer: Any) {
        demandMainQueue()
        guard let token = observer as? TimeObserverToken, timeObservers.remove(token.call) else {
            fatalError("R-RTO-03: the token is not a time observer of this player, or was already removed")
        }
        rearm()
    }
}
