import Synchronization

/// Cancels one inspection of a medium, for example if it takes too long. Any thread.
public final class AssetInterrupt: Sendable {
    private enum State {
        case waiting
        case armed(@Sendable () -> Void)
        case raised
    }
    private let state = Mutex(State.waiting)

    public init() {}

    public var isRaised: Bool { state.withLock { if case .raised = $0 { true } else { false } } }

    /// Also if `arm` is called later.
    public func raise() {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .raised }
            if case .armed(let cancel) = state { return cancel }
            return nil
        }
        cancel?()
    }

    /// Calls `cancel` at once after `raise`.
    public func arm(_ cancel: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if case .raised = state { return true }
            state = .armed(cancel)
            return false
        }
        if isRaised { cancel() }
    }
}
