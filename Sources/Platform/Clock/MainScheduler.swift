/// Runs work on the main actor, either in a later turn or at a host time. Dispatch in production, the virtual clock in tests.
public protocol MainScheduler: Sendable {
    /// Enqueues `work`; work runs in the order of the calls. Any thread.
    func async(_ work: @escaping @MainActor @Sendable () -> Void)
    /// Runs `work` at `time` or soon after, unless the returned action is cancelled before. If `time` has passed, `work` runs in a later turn.
    @MainActor func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction
}

/// Work scheduled for a host time. `cancel` is idempotent; after it returns, the work does not start.
@MainActor public protocol ScheduledAction: AnyObject {
    func cancel()
}
