import Platform

/// A timer that runs its body on the main queue, in a turn. After `cancel`, the body does not run, even if the timer has already fired on the main
/// queue and waits for the lock there.
@Turn final class TurnTimer {
    /// Nil after the timer has fired or was cancelled.
    private var body: (@Turn @Sendable () -> Void)?
    private var action: (any ScheduledAction)?

    private init(_ body: @escaping @Turn @Sendable () -> Void) { self.body = body }

    /// - Parameter owner: The player or the item that `body` uses. It is kept from before the turn until after it, so that its last reference is not
    ///   released under the lock.
    static func start(
        at time: HostTime, in environment: PlaybackEnvironment, for owner: any AnyObject & Sendable, _ body: @escaping @Turn @Sendable () -> Void
    ) -> TurnTimer {
        let timer = TurnTimer(body)
        timer.action = environment.scheduler.schedule(at: time) { [weak timer, weak owner] in
            withExtendedLifetime(owner) { Turn.perform { timer?.fire() } }
        }
        return timer
    }

    func cancel() {
        body = nil
        action?.cancel()
        action = nil
    }

    private func fire() {
        let body = body
        cancel()
        body?()
    }
}
