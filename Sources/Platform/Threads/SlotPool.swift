import Synchronization

/// Limits the number of operations that run at the same time and cannot be interrupted. Any thread.
///
/// A slot is free after the last reference to it is released, not when the requester gives up: a call that hangs keeps its thread, and with it the
/// slot, until it returns.
public final class SlotPool: Sendable {
    /// One of the slots, taken until the last reference is released. The thread that does the work holds one, and so does an operation that waits to
    /// begin.
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
