import Platform
import PlaybackEngine

/// The timer that pauses playback at a time, at the end of the current chapter, or at the end of the current item.
@MainActor final class SleepTimer {
    /// The setting of the sleep timer, in the form that remotes see.
    private(set) var state = PlayerState.SleepTimer()

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?

    /// Makes a sleep timer that is off.
    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// The observation of the end of the current chapter; nil if the current chapter ends with the item.
    private var chapterEnd: (seconds: Double, token: ObservationToken)?

    /// Whether playback pauses at the end of the current item, so that no other item may follow it automatically.
    var isAtEndOfItem: Bool { state.kind == .endOfItem || (state.kind == .endOfChapter && chapterEnd == nil) }

    /// Whether playback pauses at the end of the current chapter.
    var isAtEndOfChapter: Bool { state.kind == .endOfChapter }

    /// Moves the pause to the end of another chapter.
    ///
    /// - Parameters:
    ///   - seconds: The end of the chapter, in seconds of media time; nil if the chapter ends with the item.
    ///   - observe: Begins to observe whether playback crosses the end of the chapter.
    func setChapterEnd(_ seconds: Double?, observe: (Double) -> ObservationToken) {
        guard seconds != chapterEnd?.seconds else { return }
        chapterEnd?.token.cancel()
        chapterEnd = seconds.map { ($0, observe($0)) }
    }

    /// Replaces the setting of the sleep timer. If the new setting has a time, `timeOut` is called at that time.
    func set(_ setting: SleepTimerSetting, timeOut: @escaping @MainActor @Sendable () -> Void) {
        clear()
        switch setting {
        case .off: break
        case .after(let seconds):
            let time = clock.now + seconds
            state = PlayerState.SleepTimer(kind: .time, hostTime: time.seconds)
            action = scheduler.schedule(at: time, timeOut)
        case .atEndOfItem: state = PlayerState.SleepTimer(kind: .endOfItem)
        case .atEndOfChapter: state = PlayerState.SleepTimer(kind: .endOfChapter)
        }
    }

    /// Switches the sleep timer off.
    func clear() {
        stop()
        state = PlayerState.SleepTimer()
    }

    /// Cancels the scheduled pause, but leaves the setting of the sleep timer unchanged.
    func stop() {
        action?.cancel()
        action = nil
        chapterEnd?.token.cancel()
        chapterEnd = nil
    }
}
