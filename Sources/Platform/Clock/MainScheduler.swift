/// Runs work on the main actor, in a later turn or at a host time. Implemented by Dispatch in production, and by the virtual clock in tests.
public protocol MainScheduler: Sendable {
    /// Enqueues `work` for the main actor. Work runs in the order of the calls. Any thread may call it.
    func async(_ work: @escaping @MainActor @Sendable () -> Void)
    /// Runs `work` at host time `time` or soon after, unless the returned action is cancelled before. If `time` has passed, `work` runs in a later
    /// turn of the main actor.
    @MainActor func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction
}

/// Work scheduled for a host time. `cancel` is idempotent; after it returns, the work does not start.
@MainActor public protocol ScheduledAction: AnyObject {
    func cancel()
}
