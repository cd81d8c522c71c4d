import Platform

/// The start of playback at a host time or a date, while it is awaited.
@MainActor final class ScheduledPlay {
    /// The time between two looks at the machine's clock, in seconds. A date moves on the host clock if the machine's clock is set.
    private static let dateCheckPeriod = 30.0

    /// The awaited start in the form that remotes see; nil if none is awaited.
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

    /// Returns the host time of a moment, in seconds.
    func hostTime(of moment: StartMoment) -> Double {
        switch moment {
        case .hostTime(let seconds): seconds
        case .date(let seconds): clock.now.seconds + seconds - wallClock.secondsSince1970
        }
    }

    /// Awaits a moment, in place of the awaited one.
    ///
    /// - Parameters:
    ///   - notice: The time before the moment at which `start` is called, in seconds.
    ///   - start: Receives the host time of the moment, in seconds.
    func wait(for moment: StartMoment, notice: Double, start: @escaping @MainActor (Double) -> Void) {
        cancel()
        check(moment, notice, start)
    }

    /// Ends the waiting.
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
