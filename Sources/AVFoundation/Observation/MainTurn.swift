/// The notifications of observers in one turn of the main actor, in the order of the changes.
///
/// A change is applied immediately. Its observers are notified when the outermost operation ends, before that operation returns. So an observer that
/// causes another change reads the new value immediately, and all observers are notified of this change after the first one. So the last value that
/// they receive is always the newest. With Apple's nested calls the last value may not be the newest.
@MainActor enum MainTurn {
    private static var pending: [() -> Void] = []
    private static var depth = 0
    private static var isDelivering = false

    /// Enqueues a notification of an observer. May be called only inside `perform`.
    static func tell(_ delivery: @escaping () -> Void) {
        assert(depth > 0 || isDelivering, "a delivery must belong to an operation")
        pending.append(delivery)
    }

    /// Runs an operation. At the end of the outermost operation, all enqueued notifications are delivered, including those that are enqueued during
    /// the delivery.
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
