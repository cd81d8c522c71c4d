public import CoreMedia
public import Dispatch
public import Foundation

extension AVPlayer {
    /// Calls `block` with the heard time at every `interval` of media time, and when the position jumps, starts or stops to advance (R-PTO-01…11).
    ///
    /// The calls are made at multiples of the interval on the item's timeline, and continue after the item was replaced. `block` is called on
    /// `queue`; nil is the main queue. At most one call is pending at a time, and calls never overlap, not even on a concurrent queue (R-PTO-04).
    /// Keep the returned token, and pass it to `removeTimeObserver(_:)`. The release of the token removes the observer too. The interval must be
    /// numeric and positive.
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue? = nil, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        demandMainQueue()
        demand(
            interval.isNumeric && interval.timescale > 0 && interval > .zero, "R-PTO-10: the interval of a periodic time observer must be positive")
        return add(.periodic(PeriodicGrid(interval: interval)), queue: queue, block)
    }

    /// Calls `block` when playback crosses one of `times` (R-BTO-01…09): not while paused, not by a seek, and not for the time at which playback
    /// starts.
    ///
    /// Times that are close together may share a call; read the current time in the block. There must be at least one time. Times that are not
    /// numeric are ignored.
    public func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        demandMainQueue()
        demand(!times.isEmpty, "R-BTO-02: a boundary time observer needs at least one time")
        return add(.boundary(BoundaryTimes(times: times)), queue: queue) { _ in block() }
    }

    /// Adds a boundary observer like the function with `[CMTime]`. This function is for code that boxes times, as Apple's interface requires.
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

    /// Removes a time observer. No call starts after the return, not even a pending one (R-RTO-01, R-RTO-04). The token must be one that this player
    /// returned and that has not been removed before (R-RTO-03).
    public func removeTimeObserver(_ observer: Any) {
        demandMainQueue()
        guard let token = observer as? TimeObserverToken, timeObservers.remove(token.call) else {
            fatalError("R-RTO-03: the token is not a time observer of this player, or was already removed")
        }
        rearm()
    }
}
