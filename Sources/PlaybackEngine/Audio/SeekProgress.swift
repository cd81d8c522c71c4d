public import Platform
import Synchronization

/// The progress of a seek that takes long: without an index, everything before the target is read, from a server at the speed of the transfer. The
/// reading thread reports the progress; any thread may read it.
public final class SeekProgress: Sendable, Hashable {
    /// The time after which a seek counts as long, and the time between two reports, in seconds.
    public static let patience = 0.5, period = 1.0

    private struct State {
        /// The time of the next report; nil while no seek is in progress.
        var due: HostTime?
        var first: Int64?
        var fraction: Double?
        var changed: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())
    private let clock: any HostClock

    public init(clock: any HostClock = MonotonicClock()) { self.clock = clock }

    /// The part of the distance that is passed, 0…1; nil if no seek has taken as long as `patience`.
    public var fraction: Double? { state.withLock { $0.fraction } }

    /// Sets the function that is called on the reading thread after each change of `fraction`.
    public func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.changed = observer } }

    // MARK: The reading thread

    public func begin() {
        let due = clock.now + Self.patience
        change { ($0.due, $0.first) = (due, nil) }
    }

    /// Reports the reached position of a seek, in the unit of `target`.
    public func pass(_ position: Int64, of target: Int64) {
        let now = clock.now
        change { state in
            guard let due = state.due else { return }
            let first = state.first ?? position
            state.first = first
            guard now >= due, target > first else { return }
            state.due = now + Self.period
            state.fraction = min(1, max(0, Double(position - first) / Double(target - first)))
        }
    }

    /// Ends the progress: the seek has landed, failed or was interrupted.
    public func end() { change { ($0.due, $0.fraction) = (nil, nil) } }

    private func change(_ body: (inout State) -> Void) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            let former = state.fraction
            body(&state)
            return state.fraction == former ? nil : state.changed
        }
        observer?()
    }

    public static func == (a: SeekProgress, b: SeekProgress) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
