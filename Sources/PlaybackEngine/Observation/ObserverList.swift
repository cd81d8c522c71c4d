/// The observers of an object, notified in the order in which they were added.
@MainActor package final class ObserverList<Notice> {
    private var bodies: [Int: @MainActor (Notice) -> Void] = [:]
    private var nextNumber = 0

    package init() {}

    /// Adds an observer to the list. The observation ends when the returned token is cancelled or released.
    package func add(_ body: @escaping @MainActor (Notice) -> Void) -> ObservationToken {
        let number = nextNumber
        nextNumber += 1
        bodies[number] = body
        return ObservationToken { [weak self] in self?.bodies[number] = nil }
    }

    /// Notifies every observer of the list. An observer that is cancelled during the notification is not called any more.
    package func notify(_ notice: Notice) {
        for number in bodies.keys.sorted() { bodies[number]?(notice) }
    }
}
