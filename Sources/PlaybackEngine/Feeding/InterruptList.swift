import Synchronization

/// The interrupts of the feeder's items. Any thread can raise one, to end a blocking call in a reader or an opener.
final class InterruptList: Sendable {
    private struct Entry: Sendable {
        var item: ItemID
        weak var interrupt: Interrupt?
    }
    /// The present work of the feeder's thread, which may block for long.
    private struct Work: Sendable {
        var interrupt: Interrupt
        /// Whether the interrupt stays raised, because the item is no longer needed.
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

    /// Makes the interrupt of an item; after `raiseAll` it is already raised.
    func make(for item: ItemID) -> Interrupt {
        let interrupt = Interrupt()
        state.withLock { state in
            state.list.removeAll { $0.interrupt == nil }
            state.list.append(Entry(item: item, interrupt: interrupt))
            if state.isOver { interrupt.raise() }
        }
        return interrupt
    }

    /// Raises the interrupts of all present items, because they are no longer needed.
    func raiseCurrent() { raise { _ in true } }

    func raise(_ item: ItemID) { raise { $0 == item } }

    private func raise(where isLeft: (ItemID) -> Bool) {
        state.withLock { state in
            for entry in state.list where isLeft(entry.item) {
                entry.interrupt?.raise()
                if let work = state.work, entry.interrupt === work.interrupt { state.work?.isLeft = true }
            }
        }
    }

    /// Raises the interrupts of all items, also of those that are added later.
    func raiseAll() {
        state.withLock { $0.isOver = true }
        raiseCurrent()
    }

    // MARK: Calls that may block

    /// Announces an order, which makes the feeder's earlier work unnecessary: interrupts the feeder's blocking call, and each blocking call that
    /// begins before the feeder takes the order. Called on the engine's thread.
    func announceOrder() {
        state.withLock { state in
            state.orders += 1
            state.work?.interrupt.raise()
        }
    }

    /// Records that the feeder takes the oldest order. `takeOrder`, `beginWork` and `endWork` are called on the feeder's thread.
    func takeOrder() { state.withLock { $0.orders -= 1 } }

    /// Records that a call begins that may block. If an order is already waiting, the call is interrupted at once.
    func beginWork(_ interrupt: Interrupt) {
        state.withLock { state in
            state.work = Work(interrupt: interrupt, isLeft: interrupt.isRaised)
            if state.orders > 0 { interrupt.raise() }
        }
    }

    /// Records that the call has ended, and clears the interrupt if it was raised only for a newer order.
    func endWork() {
        state.withLock { state in
            if let work = state.work, !work.isLeft { work.interrupt.clear() }
            state.work = nil
        }
    }
}
