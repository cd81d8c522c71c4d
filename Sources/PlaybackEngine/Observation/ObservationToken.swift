/// The token of an observation. The observation ends when the token is cancelled or released.
@MainActor public final class ObservationToken {
    private var end: (@MainActor () -> Void)?

    /// Makes the token of an observation that has started.
    ///
    /// - Parameter end: the function that ends the observation, called once.
    public init(_ end: @escaping @MainActor () -> Void) { self.end = end }

    isolated deinit { cancel() }

    /// Ends the observation: no call of the observer starts after `cancel` has returned. `cancel` is idempotent.
    public func cancel() {
        let end = end
        self.end = nil
        end?()
    }
}

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
