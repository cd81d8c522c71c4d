import Platform

/// The timer that pauses playback at a time, or at the end of the current item.
@MainActor final class SleepTimer {
    /// The setting as remotes see it.
    private(set) var state = PlayerState.SleepTimer()

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?

    /// A timer that is off.
    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// Whether playback pauses at the end of the current item, so that no other item may follow it automatically.
    var isAtEndOfItem: Bool { state.kind == .endOfItem }

    /// Sets the timer, which replaces the preceding setting. Calls `timeOut` at the time of the setting, if it has one.
    func set(_ setting: SleepTimerSetting, timeOut: @escaping @MainActor @Sendable () -> Void) {
        clear()
        switch setting {
        case .off: break
        case .after(let seconds):
            let time = clock.now + seconds
            state = PlayerState.SleepTimer(kind: .time, hostTime: time.seconds)
            action = scheduler.schedule(at: time, timeOut)
        case .atEndOfItem: state = PlayerState.SleepTimer(kind: .endOfItem)
        }
    }

    /// Switches the timer off.
    func clear() {
        stop()
        state = PlayerState.SleepTimer()
    }

    /// Cancels the timer without changing the setting.
    func stop() {
        action?.cancel()
        action = nil
    }
}
