import Platform
import PlaybackEngine

/// The timer that pauses playback at a time, at the end of the current chapter, at the end of the current item, or after a number of items.
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

    /// The items that have ended, until the player leaves them. Only a timer that counts items uses this set.
    private var ended: Set<ObjectIdentifier> = []

    /// Whether playback pauses at the end of the current item, so that no other item may follow it automatically.
    var isAtEndOfItem: Bool { mostFollowers == 0 }

    /// The number of items that may follow the current item automatically; nil if any number may.
    var mostFollowers: Int? {
        switch state.kind {
        case .endOfItem: 0
        case .endOfChapter: chapterEnd == nil ? 0 : nil
        case .items: state.remainingItems.map { $0 - 1 }
        case .off, .time: nil
        }
    }

    /// Counts the end of an item. Returns whether playback pauses at this end.
    ///
    /// The number of remaining items changes when the player leaves the item (`itemsDidLeave`), because until then the item and its followers are in
    /// the queue player.
    func itemDidEnd(_ item: ObjectIdentifier) -> Bool {
        if isAtEndOfItem { return true }
        guard let remaining = state.remainingItems else { return false }
        ended.insert(item)
        return ended.count >= remaining
    }

    /// Subtracts the items that have ended, after the player has left them.
    func itemsDidLeave() {
        guard let remaining = state.remainingItems, !ended.isEmpty else { return }
        state.remainingItems = max(1, remaining - ended.count)
        ended = []
    }

    /// Whether playback pauses at the end of the current chapter.
    var isAtEndOfChapter: Bool { state.kind == .endOfChapter }

    /// Sets the end of the chapter at which the sleep timer pauses playback, after another chapter has become current.
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
        case .afterItems(let count): state = PlayerState.SleepTimer(kind: .items, remainingItems: count)
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
        ended = []
    }
}
