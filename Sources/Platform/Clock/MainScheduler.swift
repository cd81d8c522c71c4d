/// Runs functions on the main actor, in a later turn or at a host time. `MainScheduler` is implemented by Dispatch in production, and by the virtual
/// clock in tests.
public protocol MainScheduler: Sendable {
    /// Enqueues the function `work` for the main actor. The enqueued functions run in the order of the calls of `async`. Any thread may call
    /// `MainScheduler.async`.
    func async(_ work: @escaping @MainActor @Sendable () -> Void)
    /// Runs the function `work` at host time `time` or soon after, unless the returned action is cancelled before. If the host time `time` has
    /// passed, the function `work` runs in a later turn of the main actor.
    @MainActor func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction
}

/// A function that is scheduled for a host time. After `cancel` has returned, the scheduled function does not start. `cancel` is idempotent.
@MainActor public protocol ScheduledAction: AnyObject {
    func cancel()
}
