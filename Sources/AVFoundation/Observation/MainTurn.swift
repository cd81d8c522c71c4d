/// What observers are told in one turn of the main actor, in one order: the order in which things happened.
///
/// A change is applied at once and told when the outermost operation ends, before it returns to its caller. An observer that causes another
/// change therefore reads it at once, and everybody hears of it after they have heard of the first: the last value told is always the newest
/// (with Apple's nested calls it may not be).
@MainActor enum MainTurn {
    private static var pending: [() -> Void] = []
    private static var depth = 0
    private static var isDelivering = false

    /// Enqueues what is to be told. Inside `perform` only.
    static func tell(_ delivery: @escaping () -> Void) {
        assert(depth > 0 || isDelivering, "deliveries belong to an operation")
        pending.append(delivery)
    }

    /// Runs an operation; the outermost one delivers what was enqueued, also what the deliveries themselves cause.
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
