import AVFoundation
import Platform
import PlaybackEngine

/// What the sleep timer does to playback.
extension PlaylistPlayer {
    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        if case .atEndOfItem = setting, playlist.currentID == nil { throw .noItem }
        let wasAtEnd = sleepTimer.isAtEndOfItem
        sleepTimer.set(setting) { [weak self] in self?.sleepNow() }
        // The next item must not be joined to the current one, or may be again.
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

    /// The current item has been heard to its end, and playback rests there.
    func sleepAtEndOfItem() {
        guard sleepTimer.isAtEndOfItem else { return }
        sleepTimer.clear()
        publisher.note(.sleepTimer)
        // The player is still in its own turn: the next item is prepared in the following one.
        environment.scheduler.async { [weak self] in self?.feeder.feed() }
    }
}
