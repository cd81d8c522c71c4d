/// The notifications of observers in one turn of the main actor, in the order of the changes.
///
/// A change applies at once; observers are notified when the outermost operation ends, before it returns. If an observer causes
/// another change, all observers of the first change are notified before those of the second, so the last value that an observer gets is the newest;
/// with Apple's nested calls it may not be.
@MainActor enum MainTurn {
    private static var pending: [() -> Void] = []
    private static var depth = 0
    private static var isDelivering = false

    /// Enqueues a notification; called only inside `perform`.
    static func enqueue(_ delivery: @escaping () -> Void) {
        assert(depth > 0 || isDelivering, "a delivery must belong to an operation")
        pending.append(delivery)
    }

    /// Performs an operation. At the end of the outermost one, notifications are delivered, also those that are enqueued meanwhile.
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
