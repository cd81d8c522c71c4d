import AVFoundation
import Platform
import PlaybackEngine

/// The effects of the sleep timer on playback.
extension PlaylistPlayer {
    /// The tolerance of a chapter's end, in seconds. A chapter whose end is closer than this to the end of its item counts as ending with the item,
    /// because the ends of chapters are often rounded.
    private static let chapterRounding = 0.05

    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        switch setting {
        case .atEndOfItem, .atEndOfChapter, .afterItems: if playlist.currentID == nil { throw .noItem }
        case .off, .after: break
        }
        changeSleepTimer { sleepTimer.set(setting) { [weak self] in self?.sleepNow() } }
    }

    /// If the sleep timer pauses at the end of a chapter, moves this pause to the end of the chapter that is heard now. Called after the position has
    /// jumped, after another item became current, and after the chapters of an item are known.
    func followChapter() {
        if sleepTimer.isAtEndOfChapter { changeSleepTimer {} }
    }

    private func changeSleepTimer(_ change: () -> Void) {
        let followers = sleepTimer.mostFollowers
        change()
        if sleepTimer.isAtEndOfChapter {
            sleepTimer.setChapterEnd(endOfChapter) { seconds in
                // Playback pauses in a later turn of the main actor, because in this turn the player still handles the crossing of the chapter's end.
                observeBoundaries(at: [seconds]) { [weak self] _ in
                    self?.environment.scheduler.async { [weak self] in self?.sleepAtEndOfChapter() }
                }
            }
        }
        // The queue player must not have an item after the one at whose end playback pauses.
        if sleepTimer.mostFollowers != followers { feeder.feed() }
    }

    /// The end of the chapter that is heard, in seconds; nil if that chapter ends with the item, or if the item has no chapters.
    private var endOfChapter: Double? {
        guard let id = playlist.currentID, let chapters = book.facts(of: id)?.chapters else { return nil }
        let now = player.currentTime().seconds
        let duration = feeder.current.map(\.item.duration).flatMap { $0.isNumeric ? $0.seconds : nil } ?? .infinity
        // If the position is between two chapters, the pause is at the start of the next chapter. An end of a chapter close to the item's end counts
        // as the item's end, because the ends of chapters are often rounded.
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

    /// Counts the end of an item, and switches the sleep timer off if playback has paused at that end. At the end of the queue a timer that counts
    /// items is switched off too, because playback has paused.
    func sleepAtEndOfItem(_ item: QueuedEntry) {
        let isLast = sleepTimer.itemDidEnd(ObjectIdentifier(item))
        guard isLast || (sleepTimer.state.kind == .items && feeder.isAtEndOfQueue) else { return }
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        // The queue player is still handling the end of the item in the present turn of the main actor, so it receives the next items in the
        // following turn.
        environment.scheduler.async { [weak self] in self?.feeder.feed() }
    }
}
