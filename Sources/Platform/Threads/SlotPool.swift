import Synchronization

/// A limited number of slots, for operations that cannot be interrupted: each running operation has a slot. Any thread may take a slot.
///
/// A slot is free after the last reference to it is released, not when the thread that requested it stops waiting. An operation that does not return
/// keeps its thread, and so its slot.
public final class SlotPool: Sendable {
    /// A taken slot, free after its last reference is released. An operation keeps a reference from `take` until its end, even while it waits for its
    /// thread to begin.
    public final class Slot: Sendable {
        private let pool: SlotPool
        fileprivate init(of pool: SlotPool) { self.pool = pool }
        deinit { pool.taken.withLock { $0 -= 1 } }
    }

    private let limit: Int
    private let taken = Mutex(0)

    public init(limit: Int) { self.limit = max(1, limit) }

    /// The number of taken slots.
    public var takenCount: Int { taken.withLock { $0 } }

    /// Takes a slot; nil if none is free.
    public func take() -> Slot? {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return isFree ? Slot(of: self) : nil
    }
}
