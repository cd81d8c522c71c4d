/// The notifications of observers in one turn of the main actor, in the order of the changes.
///
/// A change of a property is applied immediately. The observers of the property are notified when the outermost operation ends, before the operation
/// returns. An observer that causes another change reads the new value immediately. All observers are notified of the second change after they were
/// notified of the first change, so the last value that an observer receives is always the newest value. With Apple's nested calls of observers, the
/// last received value may not be the newest.
@MainActor enum MainTurn {
    private static var pending: [() -> Void] = []
    private static var depth = 0
    private static var isDelivering = false

    /// Enqueues a notification of an observer. `enqueue` may be called only inside `perform`.
    static func enqueue(_ delivery: @escaping () -> Void) {
        assert(depth > 0 || isDelivering, "a delivery must belong to an operation")
        pending.append(delivery)
    }

    /// Runs an operation that may change properties. At the end of the outermost operation, all enqueued notifications are delivered, including
    /// notifications that are enqueued during the delivery.
    static func perform<Result>(_ operation: () -> Result) -> Result {
        depth += 1
        let result = operation()
        depth -= 1
        if depth == 0, !isDelivering { deliver() }
        return result
    }

    private static func deliver() {
        isDelivering = true
        var next = 0
        while next < pending.count {
            let delivery = pending[next]
            next += 1
            delivery()
        }
        pending.removeAll(keepingCapacity: pending.count < 64)
        isDelivering = false
    }
}
