import Synchronization

/// Cancels the inspection of a medium that takes too long. Any thread; one inspection.
public final class AssetInterrupt: Sendable {
    private enum State {
        case waiting
        case armed(@Sendable () -> Void)
        case raised
    }
    private let state = Mutex(State.waiting)

    public init() {}

    /// Whether the inspection was cancelled.
    public var isRaised: Bool { state.withLock { if case .raised = $0 { true } else { false } } }

    /// Cancels the inspection, or, before `arm`, as soon as it is armed.
    public func raise() {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .raised }
            if case .armed(let cancel) = state { return cancel }
            return nil
        }
        cancel?()
    }

    /// Sets the function that cancels the inspection.
    public func arm(_ cancel: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if case .raised = state { return true }
            state = .armed(cancel)
            return false
        }
        if isRaised { cancel() }
    }
}
