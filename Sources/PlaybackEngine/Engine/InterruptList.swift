import Synchronization

/// Interrupts that can be raised from any thread.
final class InterruptList: Sendable {
    private struct Entry: Sendable {
        var item: ItemID
        weak var interrupt: Interrupt?
    }
    private let state = Mutex<(list: [Entry], isOver: Bool)>(([], false))

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
    func raiseCurrent() { for entry in state.withLock({ $0.list }) { entry.interrupt?.raise() } }

    /// Raises the one of an item that is left.
    func raise(_ item: ItemID) { for entry in state.withLock({ $0.list }) where entry.item == item { entry.interrupt?.raise() } }

    /// Raises every one, and those still to be made.
    func raiseAll() {
        state.withLock { $0.isOver = true }
        raiseCurrent()
    }
}
