/// Runs functions on the main actor: by Dispatch, or by the virtual clock in tests.
public protocol MainScheduler: Sendable {
    /// In the order of the calls. Any thread.
    func async(_ work: @escaping @MainActor @Sendable () -> Void)
    /// Or soon after, in a later turn if `time` has passed, unless cancelled.
    @MainActor func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction
}

/// After `cancel`, which is idempotent, it does not start.
@MainActor public protocol ScheduledAction: AnyObject {
    func cancel()
}
