import Synchronization

/// Ends a look into a medium that takes too long. Any thread; once.
public final class AssetInterrupt: Sendable {
    private enum State {
        case waiting
        case armed(@Sendable () -> Void)
        case raised
    }
    private let state = Mutex(State.waiting)

    public init() {}

    /// Whether it was raised.
    public var isRaised: Bool { state.withLock { if case .raised = $0 { true } else { false } } }

    /// Ends it, or lets it end as soon as it begins.
    public func raise() {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .raised }
            if case .armed(let cancel) = state { return cancel }
            return nil
        }
        cancel?()
    }

    /// Says how it is ended.
    public func arm(_ cancel: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if case .raised = state { return true }
            state = .armed(cancel)
            return false
        }
        if isRaised { cancel() }
    }
}
