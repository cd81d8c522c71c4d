/// The observers of a player, notified in the order in which they were added.
@MainActor package final class PlayerObservers {
    private var bodies: [Int: @MainActor (PlayerNotice) -> Void] = [:]
    private var nextNumber = 0

    package init() {}

    /// Adds an observer, until its token is cancelled or released.
    package func add(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken {
        let number = nextNumber
        nextNumber += 1
        bodies[number] = body
        return ObservationToken { [weak self] in self?.bodies[number] = nil }
    }

    /// Notifies every observer. An observer that is cancelled during this call is no longer called.
    package func notify(_ notice: PlayerNotice) {
        for number in bodies.keys.sorted() { bodies[number]?(notice) }
    }
}
