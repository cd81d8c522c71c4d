import Platform
import PlaybackEngine

/// Pauses playback at a time, at the end of the chapter or item, or after a number of items.
@MainActor final class SleepTimer {
    /// As remotes see it.
    private(set) var state = PlayerState.SleepTimer()

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?

    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// Nil if the chapter ends with the item.
    private var chapterEnd: (seconds: Double, token: ObservationToken)?

    /// Until the player leaves them; only of a timer that counts items.
    private var ended: Set<ObjectIdentifier> = []

    /// So that no other item may follow automatically.
    var isAtEndOfItem: Bool { mostFollowers == 0 }

    /// Automatically; nil for any number.
    var mostFollowers: Int? {
        switch state.kind {
        case .endOfItem: 0
        case .endOfChapter: chapterEnd == nil ? 0 : nil
        case .items: state.remainingItems.map { $0 - 1 }
        case .off, .time: nil
        }
    }

    /// Whether playback pauses. The number of remaining items changes later (`itemsDidLeave`), because the item and its followers are in the queue
    /// player.
    func itemDidEnd(_ item: ObjectIdentifier) -> Bool {
        if isAtEndOfItem { return true }
        guard let remaining = state.remainingItems else { return false }
        ended.insert(item)
        return ended.count >= remaining
    }

    func itemsDidLeave() {
        guard let remaining = state.remainingItems, !ended.isEmpty else { return }
        state.remainingItems = max(1, remaining - ended.count)
        ended = []
    }

    var isAtEndOfChapter: Bool { state.kind == .endOfChapter }

    /// After another chapter has become current; in seconds of media time, nil if it ends with the item. `observe` observes the crossing.
    func setChapterEnd(_ seconds: Double?, observe: (Double) -> ObservationToken) {
        guard seconds != chapterEnd?.seconds else { return }
        chapterEnd?.token.cancel()
        chapterEnd = seconds.map { ($0, observe($0)) }
    }

    /// `timeOut` is called at the time of the setting.
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

    func clear() {
        stop()
        state = PlayerState.SleepTimer()
    }

    /// The setting stays.
    func stop() {
        action?.cancel()
        action = nil
        chapterEnd?.token.cancel()
        chapterEnd = nil
        ended = []
    }
}
