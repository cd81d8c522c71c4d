import Platform

/// A scheduled start of playback, at a host time or a date, until the player starts.
@MainActor final class ScheduledPlay {
    /// The time between two readings of the machine's clock, in seconds. If the machine's clock is set, the host time of a date changes.
    private static let dateCheckPeriod = 30.0

    /// The scheduled start in the form that remotes see; nil if no start is scheduled.
    private(set) var state: PlayerState.ScheduledStart?

    private let clock: any HostClock
    private let wallClock: any WallClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?

    init(clock: any HostClock, wallClock: any WallClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.wallClock = wallClock
        self.scheduler = scheduler
    }

    /// Returns the host time, in seconds, at which playback has to start for the moment `moment`.
    func hostTime(of moment: StartMoment) -> Double {
        switch moment {
        case .hostTime(let seconds): seconds
        case .date(let seconds): clock.now.seconds + seconds - wallClock.secondsSince1970
        }
    }

    /// Schedules a start at the moment `moment`, in place of an earlier scheduled start.
    ///
    /// - Parameters:
    ///   - notice: The time from the call of `start` to the moment, in seconds.
    ///   - start: Starts playback. Receives the host time of the moment, in seconds.
    func wait(for moment: StartMoment, notice: Double, start: @escaping @MainActor (Double) -> Void) {
        cancel()
        check(moment, notice, start)
    }

    /// Cancels the scheduled start.
    func cancel() {
        action?.cancel()
        (action, state) = (nil, nil)
    }

    private func check(_ moment: StartMoment, _ notice: Double, _ start: @escaping @MainActor (Double) -> Void) {
        let host = hostTime(of: moment)
        var date: Double?
        if case .date(let seconds) = moment { date = seconds }
        // The published host time of a date changes only if the machine's clock was set.
        if state == nil || abs((state?.hostTime ?? 0) - host) > 0.1 { state = PlayerState.ScheduledStart(hostTime: host, date: date) }
        let now = clock.now
        let rest = host - notice - now.seconds
        guard rest > 0 else {
            cancel()
            return start(host)
        }
        action = scheduler.schedule(at: now + (date == nil ? rest : min(rest, Self.dateCheckPeriod))) { [weak self] in
            self?.check(moment, notice, start)
        }
    }
}
