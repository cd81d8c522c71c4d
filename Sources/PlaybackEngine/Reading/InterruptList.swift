import Synchronization

/// Interrupts that can be raised from any thread.
final class InterruptList: Sendable {
    private struct Entry: Sendable {
        var item: ItemID
        weak var interrupt: Interrupt?
    }
    /// What the feeder's thread may be blocked in.
    private struct Work: Sendable {
        var interrupt: Interrupt
        /// Raised for good: its item is left.
        var isLeft: Bool
    }
    private struct State: Sendable {
        var list: [Entry] = []
        var isOver = false
        var work: Work?
        /// Orders that have been sent and not been taken.
        var orders = 0
    }
    private let state = Mutex(State())

    /// A new interrupt; already raised where all have been for ever.
    func make(for item: ItemID) -> Interrupt {
        let interrupt = Interrupt()
        state.withLock { state in
            state.list.removeAll { $0.interrupt == nil }
            state.list.append(Entry(item: item, interrupt: interrupt))
            if state.isOver { interrupt.raise() }
        }
        return interrupt
    }

    /// Raises every one there is: their items are left.
    func raiseCurrent() { raise { _ in true } }

    /// Raises the one of an item that is left.
    func raise(_ item: ItemID) { raise { $0 == item } }

    private func raise(where isLeft: (ItemID) -> Bool) {
        state.withLock { state in
            for entry in state.list where isLeft(entry.item) {
                entry.interrupt?.raise()
                if let work = state.work, entry.interrupt === work.interrupt { state.work?.isLeft = true }
            }
        }
    }

    /// Raises every one, and those still to be made.
    func raiseAll() {
        state.withLock { $0.isOver = true }
        raiseCurrent()
    }

    // MARK: What is under way

    /// An order follows, which makes void what is under way and what is begun before it is taken: that is ended, or ends at once. The engine's thread.
    func announceOrder() {
        state.withLock { state in
            state.orders += 1
            state.work?.interrupt.raise()
        }
    }

    /// The order that was announced first has come. The feeder's thread, as the rest.
    func takeOrder() { state.withLock { $0.orders -= 1 } }

    /// Begins what may block for long.
    func beginWork(_ interrupt: Interrupt) {
        state.withLock { state in
            state.work = Work(interrupt: interrupt, isLeft: interrupt.isRaised)
            if state.orders > 0 { interrupt.raise() }
        }
    }

    /// That is over. What ended it for an order's sake holds no longer.
    func endWork() {
        state.withLock { state in
            if let work = state.work, !work.isLeft { work.interrupt.clear() }
            state.work = nil
        }
    }
}
