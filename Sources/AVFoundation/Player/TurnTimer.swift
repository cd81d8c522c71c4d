import Platform

/// A timer that runs its body on the main queue, in a turn. After `cancel`, the body does not run, even if the timer has already fired on the main
/// queue and waits for the lock there.
@Turn final class TurnTimer {
    /// Nil after the timer has fired or was cancelled.
    private var body: (@Turn @Sendable () -> Void)?
    private var action: (any ScheduledAction)?

    private init(_ body: @escaping @Turn @Sendable () -> Void) { self.body = body }

    static func start(at time: HostTime, in environment: PlaybackEnvironment, _ body: @escaping @Turn @Sendable () -> Void) -> TurnTimer {
        let timer = TurnTimer(body)
        timer.action = environment.scheduler.schedule(at: time) { [weak timer] in Turn.perform { timer?.fire() } }
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
