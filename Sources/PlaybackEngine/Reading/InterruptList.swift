import Synchronization

/// The interrupts of the feeder's items. Any thread can raise an interrupt, to end a blocking call in a media reader or an opener.
final class InterruptList: Sendable {
    private struct Entry: Sendable {
        var item: ItemID
        weak var interrupt: Interrupt?
    }
    /// A call of the feeder's thread that may block for long.
    private struct Work: Sendable {
        var interrupt: Interrupt
        /// Whether the interrupt stays raised after the blocking call, because the item is no longer needed.
        var isLeft: Bool
    }
    private struct State: Sendable {
        var list: [Entry] = []
        var isOver = false
        var work: Work?
        /// The number of orders that the engine has announced and the feeder has not taken.
        var orders = 0
    }
    private let state = Mutex(State())

    /// Makes the interrupt of an item. The new interrupt is already raised if `raiseAll` was called before.
    func make(for item: ItemID) -> Interrupt {
        let interrupt = Interrupt()
        state.withLock { state in
            state.list.removeAll { $0.interrupt == nil }
            state.list.append(Entry(item: item, interrupt: interrupt))
            if state.isOver { interrupt.raise() }
        }
        return interrupt
    }

    /// Raises the interrupts of all items, because the items are no longer needed.
    func raiseCurrent() { raise { _ in true } }

    /// Raises the interrupt of an item that is no longer needed.
    func raise(_ item: ItemID) { raise { $0 == item } }

    private func raise(where isLeft: (ItemID) -> Bool) {
        state.withLock { state in
            for entry in state.list where isLeft(entry.item) {
                entry.interrupt?.raise()
                if let work = state.work, entry.interrupt === work.interrupt { state.work?.isLeft = true }
            }
        }
    }

    /// Raises the interrupts of all items, also of items that are added later.
    func raiseAll() {
        state.withLock { $0.isOver = true }
        raiseCurrent()
    }

    // MARK: Calls that may block

    /// Announces an order of the engine to the feeder; the order makes the feeder's earlier work unnecessary. Interrupts the present blocking call of
    /// the feeder's thread, and each call that the feeder's thread begins before it takes the order. The engine's thread calls `announceOrder`.
    func announceOrder() {
        state.withLock { state in
            state.orders += 1
            state.work?.interrupt.raise()
        }
    }

    /// Records that the feeder has taken the oldest announced order. The feeder's thread calls `takeOrder`, `beginWork` and `endWork`.
    func takeOrder() { state.withLock { $0.orders -= 1 } }

    /// Records that the feeder's thread begins a call that may block, so that an order can interrupt the call. If an order of the engine is already
    /// waiting, the call is interrupted at once.
    func beginWork(_ interrupt: Interrupt) {
        state.withLock { state in
            state.work = Work(interrupt: interrupt, isLeft: interrupt.isRaised)
            if state.orders > 0 { interrupt.raise() }
        }
    }

    /// Records the end of a call that may block. Clears the interrupt of the call if the interrupt was raised only for a newer order.
    func endWork() {
        state.withLock { state in
            if let work = state.work, !work.isLeft { work.interrupt.clear() }
            state.work = nil
        }
    }
}
