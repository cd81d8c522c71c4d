import Platform

/// The time at the stop in which the last answers are sent: until no request waits, within two limits.
@MainActor final class LastAnswers {
    /// In seconds, for requests that arrive meanwhile, and the ends of event streams.
    static let minimum = 0.05
    /// In seconds from the beginning of the stop, whatever a client reads.
    static let maximum = 0.4
    private static let interval = 0.01

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let isAnswering: @MainActor () -> Bool
    private let latest: HostTime
    private var next: (any ScheduledAction)?

    /// - Parameter isAnswering: Whether a request waits for its answer, or for the rest of it.
    init(clock: any HostClock, scheduler: any MainScheduler, isAnswering: @escaping @MainActor () -> Bool) {
        self.clock = clock
        self.scheduler = scheduler
        self.isAnswering = isAnswering
        latest = clock.now + Self.maximum
    }

    /// After the last answer: not before `minimum` from now, at the latest `maximum` after the beginning of the stop.
    func wait(_ done: @escaping @MainActor @Sendable () -> Void) { check(after: Self.minimum, done) }

    private func check(after seconds: Double, _ done: @escaping @MainActor @Sendable () -> Void) {
        next = scheduler.schedule(at: clock.now + seconds) { [self] in
            if isAnswering(), clock.now < latest { check(after: Self.interval, done) } else { done() }
        }
    }
}
