import AVFoundation
import PlaybackEngine

/// When playback is to pause by itself.
extension PlaylistPlayer {
    /// A timer that is set takes the place of the one before.
    func setSleepTimer(_ setting: SleepTimerSetting) throws(PlayerRefusal) {
        if case .atEndOfItem = setting, playlist.currentID == nil { throw .noItem }
        let wasAtEnd = sleepsAtEnd
        clearSleepTimer()
        switch setting {
        case .off: break
        case .after(let seconds):
            let time = environment.clock.now + seconds
            sleepTimer = PlayerState.SleepTimer(kind: "time", hostTime: time.seconds)
            sleepAction = environment.scheduler.schedule(at: time) { [weak self] in self?.sleepNow() }
        case .atEndOfItem: sleepTimer = PlayerState.SleepTimer(kind: "endOfItem")
        }
        // What follows the current item must not be joined to it, or may be again.
        if sleepsAtEnd != wasAtEnd { feed() }
    }

    /// Nothing is to follow the current item by itself.
    var sleepsAtEnd: Bool { sleepTimer.kind == "endOfItem" }

    private func clearSleepTimer() {
        sleepAction?.cancel()
        sleepAction = nil
        sleepTimer = PlayerState.SleepTimer()
    }

    private func sleepNow() {
        clearSleepTimer()
        note(.sleepTimer)
        if player.requestedRate != 0 {
            player.pause()
            note(.sleepTimer)
        }
    }

    /// The current item has been heard to its end, and playback rests there.
    func sleepAtEndOfItem() {
        guard sleepsAtEnd else { return }
        clearSleepTimer()
        note(.sleepTimer)
        // The player is still in its own turn: what follows is prepared for in the next.
        environment.scheduler.async { [weak self] in self?.feed() }
    }
}
