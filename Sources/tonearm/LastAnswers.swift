import Platform

/// The time at the stop of the daemon in which the server sends its last answers: until no request waits for its answer, within two limits.
@MainActor final class LastAnswers {
    /// The shortest time, in seconds, for requests that the server receives while the daemon stops, and for the ends of the event streams.
    static let minimum = 0.05
    /// The longest time from the beginning of the stop, in seconds. A client that does not read its answer delays the end of the daemon no longer.
    static let maximum = 0.4
    private static let interval = 0.01

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let isAnswering: @MainActor () -> Bool
    private let latest: HostTime
    private var next: (any ScheduledAction)?

    /// Begins the time at the beginning of the stop.
    /// - Parameter isAnswering: Returns whether a request waits for its answer, or for the rest of it.
    init(clock: any HostClock, scheduler: any MainScheduler, isAnswering: @escaping @MainActor () -> Bool) {
        self.clock = clock
        self.scheduler = scheduler
        self.isAnswering = isAnswering
        latest = clock.now + Self.maximum
    }

    /// Calls `done` on the main actor after the last answer has been sent: not before `minimum` has passed since the call of `wait`, and then as soon
    /// as `maximum` has passed since the beginning of the stop.
    func wait(_ done: @escaping @MainActor @Sendable () -> Void) { check(after: Self.minimum, done) }

    private func check(after seconds: Double, _ done: @escaping @MainActor @Sendable () -> Void) {
        next = scheduler.schedule(at: clock.now + seconds) { [self] in
            if isAnswering(), clock.now < latest { check(after: Self.interval, done) } else { done() }
        }
    }
}
