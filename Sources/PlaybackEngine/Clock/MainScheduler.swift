/// Runs work on the main actor: at once in a later turn, or at a host time. Dispatch in production, the virtual clock in tests.
public protocol MainScheduler: Sendable {
    /// Enqueues `work`, from any thread, in order.
    func async(_ work: @escaping @MainActor @Sendable () -> Void)
    /// Runs `work` at `time` or soon after (at once in a later turn where it has passed), unless the returned action was cancelled.
    @MainActor func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction
}

/// Work that waits for its time. Cancelling is idempotent; after it returns the work does not start.
@MainActor public protocol ScheduledAction: AnyObject {
    func cancel()
}
