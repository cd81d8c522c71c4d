import AVFoundation
import Platform
import PlaybackEngine

/// The effects of the sleep timer on playback.
extension PlaylistPlayer {
    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        if case .atEndOfItem = setting, playlist.currentID == nil { throw .noItem }
        let wasAtEnd = sleepTimer.isAtEndOfItem
        sleepTimer.set(setting) { [weak self] in self?.sleepNow() }
        // While the sleep timer waits for the end of the current item, the queue player must not have a next item, because playback must pause at
        // that end.
        if sleepTimer.isAtEndOfItem != wasAtEnd { feeder.feed() }
    }

    private func sleepNow() {
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        if player.requestedRate != 0 {
            player.pause()
            publisher.note(.sleepTimer)
        }
    }

    /// Switches the sleep timer off after playback has paused at the end of the current item.
    func sleepAtEndOfItem() {
        guard sleepTimer.isAtEndOfItem else { return }
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        // The player is still handling the end of the item in this turn of the main actor, so it receives the next items in the following turn.
        environment.scheduler.async { [weak self] in self?.feeder.feed() }
    }
}
