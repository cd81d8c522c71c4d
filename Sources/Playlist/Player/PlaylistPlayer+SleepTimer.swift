import AVFoundation
import Platform
import PlaybackEngine

/// The effects of the sleep timer on playback.
extension PlaylistPlayer {
    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        if case .atEndOfItem = setting, playlist.currentID == nil { throw .noItem }
        let wasAtEnd = sleepTimer.isAtEndOfItem
        sleepTimer.set(setting) { [weak self] in self?.sleepNow() }
        // At the end of the current item playback must pause, so the queue player must not have a next item.
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

    /// Switches the timer off after playback has paused at the end of the current item.
    func sleepAtEndOfItem() {
        guard sleepTimer.isAtEndOfItem else { return }
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        // The player is still in its own turn, so the next items are given to it in the following turn.
        environment.scheduler.async { [weak self] in self?.feeder.feed() }
    }
}
