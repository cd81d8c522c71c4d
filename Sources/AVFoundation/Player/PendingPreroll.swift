/// The completion of the preroll in progress. It is called once.
@MainActor final class PendingPreroll {
    private var completion: (@MainActor (Bool) -> Void)?

    /// Records the completion of a preroll that begins. The completion of the former one has been called.
    func begin(_ completion: (@MainActor (Bool) -> Void)?) { self.completion = completion }

    /// Ends the preroll. Returns its completion.
    func finish() -> (@MainActor (Bool) -> Void)? {
        defer { completion = nil }
        return completion
    }
}
