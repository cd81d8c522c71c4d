import Synchronization

/// The means to cancel the inspection of a medium, for example if it takes too long. Each inspection has its own `AssetInterrupt`, whose functions
/// any thread may call.
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

    /// Cancels the inspection of the medium. If `arm` has not been called yet, the later call of `arm` cancels the inspection.
    public func raise() {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .raised }
            if case .armed(let cancel) = state { return cancel }
            return nil
        }
        cancel?()
    }

    /// Sets the function that cancels the inspection. If `raise` was called before, `arm` calls `cancel` immediately.
    public func arm(_ cancel: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if case .raised = state { return true }
            state = .armed(cancel)
            return false
        }
        if isRaised { cancel() }
    }
}
