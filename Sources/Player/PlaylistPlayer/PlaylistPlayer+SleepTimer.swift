import AVFoundation
import Platform
import PlaybackEngine

extension PlaylistPlayer {
    /// In seconds: a chapter that ends so near the item's end ends with it, because ends of chapters are often rounded.
    private static let chapterRounding = 0.05

    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        switch setting {
        case .atEndOfItem, .atEndOfChapter, .afterItems: if playlist.currentID == nil { throw .noItem }
        case .off, .after: break
        }
        changeSleepTimer { sleepTimer.set(setting) { [weak self] in self?.sleepNow() } }
    }

    /// To the end of the chapter that is heard; after a jump, another item, or when chapters are known.
    func followChapter() {
        if sleepTimer.isAtEndOfChapter { changeSleepTimer {} }
    }

    private func changeSleepTimer(_ change: () -> Void) {
        let followers = sleepTimer.mostFollowers
        change()
        if sleepTimer.isAtEndOfChapter {
            sleepTimer.setChapterEnd(endOfChapter) { seconds in
                // In this turn the player still handles the crossing.
                observeBoundaries(at: [seconds]) { [weak self] _ in
                    self?.environment.scheduler.async { [weak self] in self?.sleepAtEndOfChapter() }
                }
            }
        }
        // No item may follow the one at whose end playback pauses.
        if sleepTimer.mostFollowers != followers { feeder.feed() }
    }

    /// In seconds; nil if the chapter ends with the item.
    private var endOfChapter: Double? {
        guard let id = playlist.currentID, let chapters = book.facts(of: id)?.chapters else { return nil }
        let now = player.currentTime().seconds
        let duration = feeder.current.map(\.item.duration).flatMap { $0.isNumeric ? $0.seconds : nil } ?? .infinity
        // Between two chapters, the start of the next one.
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

    /// Off, if playback has paused at this end; also at the end of the queue for a timer that counts items.
    func sleepAtEndOfItem(_ item: QueuedEntry) {
        let isLast = sleepTimer.itemDidEnd(ObjectIdentifier(item))
        guard isLast || (sleepTimer.state.kind == .items && feeder.isAtEndOfQueue) else { return }
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        // The queue player is still handling the end of the item.
        environment.scheduler.async { [weak self] in self?.feeder.feed() }
    }
}
