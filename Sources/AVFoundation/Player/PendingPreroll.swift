/// The completion of the preroll in progress. The completion is called once.
@MainActor final class PendingPreroll {
    private var completion: (@MainActor (Bool) -> Void)?

    /// Records the completion of a preroll that begins. The completion of the former preroll must have been called.
    func begin(_ completion: (@MainActor (Bool) -> Void)?) { self.completion = completion }

    /// Ends the preroll. Returns its completion; nil if there is none.
    func finish() -> (@MainActor (Bool) -> Void)? {
        defer { completion = nil }
        return completion
    }
}
