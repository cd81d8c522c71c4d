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
