import AVFoundation
import Platform
import PlaybackEngine

/// Pauses playback at a time, at the end of the chapter or item, or after a number of items.
@MainActor final class SleepTimer {
    /// The setting, as remotes see it.
    private(set) var state = PlayerState.SleepTimer()

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?

    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// The end of the chapter; nil if the chapter ends with the item.
    private var chapterEnd: (seconds: Double, token: ObservationToken)?

    /// The items that have ended, but are still in the queue player; used only by a timer that counts items.
    private var ended: Set<ObjectIdentifier> = []

    /// Whether playback pauses at the end of the item, so that no other item may follow automatically.
    var isAtEndOfItem: Bool { mostFollowers == 0 }

    /// The number of items that may follow automatically; nil for any number.
    var mostFollowers: Int? {
        switch state.kind {
        case .endOfItem: 0
        case .endOfChapter: chapterEnd == nil ? 0 : nil
        case .items: state.remainingItems.map { $0 - 1 }
        case .off, .time: nil
        }
    }

    /// Records the end of an item. Returns whether playback pauses there. The number of remaining items changes later (`itemsDidLeave`), because the
    /// item and its followers are in the queue player.
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

    /// Called after another chapter has become current. `seconds` is the end of the chapter in media time, nil if the chapter ends with the item;
    /// `observe` begins to observe when playback crosses the end.
    func setChapterEnd(_ seconds: Double?, observe: (Double) -> ObservationToken) {
        guard seconds != chapterEnd?.seconds else { return }
        chapterEnd?.token.cancel()
        chapterEnd = seconds.map { ($0, observe($0)) }
    }

    /// Sets the timer. `timeOut` is called at the time that the setting names.
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

    /// Stops the timer; the setting stays.
    func stop() {
        action?.cancel()
        action = nil
        chapterEnd?.token.cancel()
        chapterEnd = nil
        ended = []
    }
}

extension PlaylistPlayer {
    /// The largest distance, in seconds, at which a chapter's end counts as the item's end, because ends of chapters are often rounded.
    private static let chapterRounding = 0.05

    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        switch setting {
        case .atEndOfItem, .atEndOfChapter, .afterItems: if playlist.currentID == nil { throw .noItem }
        case .off, .after: break
        }
        changeSleepTimer { sleepTimer.set(setting) { [weak self] in self?.sleepNow() } }
    }

    /// Sets the timer to the end of the chapter that is heard. Called after a jump, for another item, and when chapters have become known.
    func followChapter() {
        if sleepTimer.isAtEndOfChapter { changeSleepTimer {} }
    }

    private func changeSleepTimer(_ change: () -> Void) {
        let followers = sleepTimer.mostFollowers
        change()
        if sleepTimer.isAtEndOfChapter {
            sleepTimer.setChapterEnd(endOfChapter) { seconds in
                // In this job of the main actor, the player still handles the crossing of the boundary.
                observeBoundary(at: seconds) { [weak self] in
                    self?.environment.scheduler.async { [weak self] in self?.sleepAtEndOfChapter() }
                }
            }
        }
        // No item may follow the one at whose end playback pauses.
        if sleepTimer.mostFollowers != followers { loader.fill() }
    }

    /// The end of the heard chapter in seconds; nil if the chapter ends with the item.
    private var endOfChapter: Double? {
        guard let id = playlist.currentID, let chapters = model.facts(of: id)?.chapters else { return nil }
        let now = player.currentTime().seconds
        let duration = loader.current.map(\.item.duration).flatMap { $0.isNumeric ? $0.seconds : nil } ?? .infinity
        // Between two chapters, playback pauses at the start of the next one.
        return chapters.flatMap { [$0.start, $0.end] }.filter { $0 > now && $0 < duration - Self.chapterRounding }.min()
    }

    private func sleepAtEndOfChapter() {
        if sleepTimer.isAtEndOfChapter { sleepNow() }
    }

    private func sleepNow() {
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        if player.requestedRate != 0 {
            player.pause()
            publisher.note(.sleepTimer)
        }
    }

    /// Turns the timer off if playback pauses at this end of an item. A timer that counts items is also turned off at the end of the queue.
    func sleepAtEndOfItem(_ item: QueuedEntry) {
        let isLast = sleepTimer.itemDidEnd(ObjectIdentifier(item))
        guard isLast || (sleepTimer.state.kind == .items && loader.isAtEndOfQueue) else { return }
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        // The queue player is still handling the end of the item.
        environment.scheduler.async { [weak self] in self?.loader.fill() }
    }
}
