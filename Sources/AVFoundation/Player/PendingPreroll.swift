/// The completion of the preroll in progress. The completion of a preroll is called once.
@MainActor final class PendingPreroll {
    private var completion: (@MainActor (Bool) -> Void)?

    /// Records the completion of a preroll that begins. The completion of the former preroll must already have been called.
    func begin(_ completion: (@MainActor (Bool) -> Void)?) { self.completion = completion }

    /// Ends the preroll in progress. Returns the completion of the preroll; nil if no preroll is in progress.
    func finish() -> (@MainActor (Bool) -> Void)? {
        defer { completion = nil }
        return completion
    }
}
