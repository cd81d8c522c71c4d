public import Platform
import Synchronization

/// The progress of a seek that takes long. The thread that reads the medium reports it, and the player shows it.
///
/// A seek in a medium without an index reads everything before its target; in a remote medium this takes as long as the transfer. The reading thread
/// reports the positions that it passes. Any thread may read the progress.
public final class SeekProgress: Sendable, Hashable {
    /// The time after which a seek counts as long, and the time between two reports of its progress, in seconds.
    public static let patience = 0.5, period = 1.0

    private struct State {
        /// The host time after which the next position is reported; nil while no seek is in progress.
        var due: HostTime?
        /// The first position of the seek.
        var first: Int64?
        var fraction: Double?
        var changed: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())
    private let clock: any HostClock

    public init(clock: any HostClock = MonotonicClock()) { self.clock = clock }

    /// The part of the distance to the target that the seek has passed, 0…1; nil if no seek is in progress, or if the seek has not taken as long as
    /// `patience`.
    public var fraction: Double? { state.withLock { $0.fraction } }

    /// Sets the function that is called on the reading thread after each change of `fraction`.
    public func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.changed = observer } }

    // MARK: The reading thread

    /// Begins a seek.
    public func begin() {
        let due = clock.now + Self.patience
        change { ($0.due, $0.first) = (due, nil) }
    }

    /// Records that a seek has passed `position` on the way to `target`, both in the same unit.
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

    /// Ends the seek: it has landed, has failed or was interrupted.
    public func end() { change { ($0.due, $0.fraction) = (nil, nil) } }

    private func change(_ body: (inout State) -> Void) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            let former = state.fraction
            body(&state)
            return state.fraction == former ? nil : state.changed
        }
        observer?()
    }

    /// Whether two progresses are the same object.
    public static func == (a: SeekProgress, b: SeekProgress) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
