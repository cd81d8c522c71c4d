import Synchronization

/// A bound for work that cannot be stopped: so many at once, and no more.
///
/// A place is free again when everybody has let go of it, not when whoever asked for the work gives it up: a call that hangs keeps its thread, and with
/// it the place, until it returns.
public final class PlacePool: Sendable {
    /// One of the places, for as long as it is referenced: by the thread that does the work, and by whoever has not begun it yet.
    public final class Place: Sendable {
        private let pool: PlacePool
        fileprivate init(of pool: PlacePool) { self.pool = pool }
        deinit { pool.taken.withLock { $0 -= 1 } }
    }

    private let limit: Int
    private let taken = Mutex(0)

    public init(limit: Int) { self.limit = max(1, limit) }

    /// How many places are taken. Any thread.
    public var takenCount: Int { taken.withLock { $0 } }

    /// A free place; nil where there is none. Any thread.
    public func take() -> Place? {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return isFree ? Place(of: self) : nil
    }
}
