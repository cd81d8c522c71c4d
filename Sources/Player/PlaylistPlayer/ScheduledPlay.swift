import AVFoundation
import Platform
import PlaybackEngine

/// The wait until the player starts, at a host time or a date.
@MainActor final class ScheduledPlay {
    /// The interval between two checks of a date, in seconds: if the machine's clock is set, the host time of a date changes.
    private static let dateCheckPeriod = 30.0

    /// The scheduled start, as remotes see it.
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

    /// The host time of a moment, in seconds.
    func hostTime(of moment: StartMoment) -> Double {
        switch moment {
        case .hostTime(let seconds): seconds
        case .date(let seconds): clock.now.seconds + seconds - wallClock.secondsSince1970
        }
    }

    /// Waits for a moment, in place of an earlier wait. `start` is called `notice` seconds before the moment, with the moment's host time in seconds.
    func wait(for moment: StartMoment, notice: Double, start: @escaping @MainActor (Double) -> Void) {
        cancel()
        check(moment, notice, start)
    }

    func cancel() {
        action?.cancel()
        (action, state) = (nil, nil)
    }

    private func check(_ moment: StartMoment, _ notice: Double, _ start: @escaping @MainActor (Double) -> Void) {
        let host = hostTime(of: moment)
        var date: Double?
        if case .date(let seconds) = moment { date = seconds }
        // The host time differs only if the machine's clock was set.
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

extension PlaylistPlayer {
    /// Schedules playback. The player stays paused until shortly before the moment; a `pause` or a `play` cancels the start.
    func schedulePlay(at moment: StartMoment, rate: Double?, fade: Double, origin: String) throws(PlayerRefusal) {
        guard playlist.currentID != nil || model.nextID != nil else { throw .noItem }
        let wait = scheduledPlay.hostTime(of: moment) - environment.clock.now.seconds
        guard wait >= -StartMoment.tolerance else { throw .startInPast }
        guard wait <= StartMoment.longestWait else { throw .startTooLate(maximum: StartMoment.longestWait) }
        let wanted = rate ?? player.requestedDefaultRate
        try checkPlayable(wanted)
        guard player.requestedRate == 0 else { throw .alreadyPlaying }
        // The entry is opened now, so that its audio is ready.
        if playlist.currentID == nil, let first = model.nextID.flatMap(playlist.entry) { loader.go(to: first) }
        scheduledPlay.wait(for: moment, notice: AVPlayer.startNotice) { [weak self] host in
            guard let self else { return }
            // The command was accepted; if the item cannot play at the rate, the player stays paused.
            try? publisher.act(for: origin, .setRateCalled) { () throws(PlayerRefusal) in
                try play(rate: wanted, fade: fade, at: HostTime(nanoseconds: Int64((host * 1e9).rounded())))
            }
        }
        publisher.scheduleUpdate()
    }
}
