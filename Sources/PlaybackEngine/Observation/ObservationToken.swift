/// An observation, which ends when the token is cancelled or released.
@MainActor public final class ObservationToken {
    private var end: (@MainActor () -> Void)?

    /// - Parameter end: The function that ends the observation, called once.
    public init(_ end: @escaping @MainActor () -> Void) { self.end = end }

    isolated deinit { cancel() }

    /// Ends the observation: no call of the observer starts afterwards. Further calls have no effect.
    public func cancel() {
        let end = end
        self.end = nil
        end?()
    }
}

/// A list of observers, which are notified in the order in which they were added.
@MainActor package final class ObserverList<Notice> {
    private var bodies: [Int: @MainActor (Notice) -> Void] = [:]
    private var nextNumber = 0

    package nonisolated init() {}

    package func add(_ body: @escaping @MainActor (Notice) -> Void) -> ObservationToken {
        let number = nextNumber
        nextNumber += 1
        bodies[number] = body
        return ObservationToken { [weak self] in self?.bodies[number] = nil }
    }

    /// Calls the observers. An observer whose observation is cancelled meanwhile is not called any more.
    package func notify(_ notice: Notice) {
        for number in bodies.keys.sorted() { bodies[number]?(notice) }
    }
}
