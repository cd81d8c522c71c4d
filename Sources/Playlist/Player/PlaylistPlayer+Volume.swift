import AVFoundation
import Platform
import PlaybackEngine

/// The volume and its fades.
extension PlaylistPlayer {
    /// Sets the volume, and ends a fade in progress. The change is immediate if playback is paused or fades to a pause.
    ///
    /// - Parameter fade: The duration of the change, in seconds; 0 means immediately.
    func setVolume(_ newVolume: Double, fade seconds: Double = 0) {
        let from = volumeFade.level ?? volume
        let isPausing = volumeFade.state?.kind == .pause
        noteVolume(newVolume)
        guard seconds > 0, player.requestedRate != 0, !isPausing else { return endFade() }
        begin(PlayerState.Fade(kind: .volume, from: from, to: newVolume, seconds: seconds, hostTime: environment.clock.now.seconds)) {}
    }

    /// Adds `change` to the volume, and limits the sum to 0…1.
    func changeVolume(by change: Double, fade seconds: Double) {
        // The sum is rounded to nine decimals, so that ten steps of 0.1 from 0 are exactly 1.
        setVolume(min(1, max(0, ((volume + change) * 1e9).rounded() / 1e9)), fade: seconds)
    }

    /// Raises the volume when playback starts: from 0, or from the level that an unfinished fade to a pause has reached.
    ///
    /// - Parameter host: The host time at which playback starts, in seconds; nil if the start is not scheduled.
    func fadeIn(during seconds: Double, at host: Double? = nil) {
        let isPausing = volumeFade.state?.kind == .pause
        guard seconds > 0, isPausing || player.timeControlStatus != .playing else {
            if isPausing { endFade() }
            return
        }
        let isHeard = player.timeControlStatus == .playing
        let level = isHeard ? volumeFade.level ?? 0 : 0
        let start = isHeard ? environment.clock.now.seconds : host
        begin(PlayerState.Fade(kind: .play, from: level, to: volume, seconds: seconds, hostTime: start)) {}
    }

    /// Lowers the volume to 0 during `seconds`, then pauses for the client `origin` and restores the volume. Pauses at once if nothing plays.
    func fadeToPause(during seconds: Double, origin: String) {
        guard seconds > 0, player.timeControlStatus == .playing else { return player.pause() }
        let level = volumeFade.level ?? volume
        begin(PlayerState.Fade(kind: .pause, from: level, to: 0, seconds: seconds, hostTime: environment.clock.now.seconds)) { [weak self] in
            guard let self else { return }
            publisher.act(for: origin, .setRateCalled) { player.pause() }
        }
    }

    /// Ends the fade in progress, if there is one. The volume that a client has set is audible again.
    func endFade() {
        volumeFade.cancel()
        player.volume = Float(volume)
    }

    /// Adapts the fade of the volume to a change of the requested rate. A pause ends a fade that belongs to a pause or to a start. The volume then
    /// stays as the fade has left it, because the device still plays the 5 ms of audio that fade out. The next requested rate restores the set
    /// volume, unless a fade is in progress.
    func followRate() {
        if player.requestedRate != 0 {
            if volumeFade.state == nil { player.volume = Float(volume) }
        } else if let kind = volumeFade.state?.kind, kind != .volume {
            volumeFade.cancel()
        }
    }

    /// Starts a fade that waits for the start of playback.
    func startWaitingFade() {
        if volumeFade.start() { publisher.note(.settingsChanged, isConsequence: true) }
    }

    private func begin(_ fade: PlayerState.Fade, completion: @escaping @MainActor () -> Void) {
        volumeFade.begin(fade) { [weak self] level in
            self?.player.volume = Float(level)
        } completion: { [weak self] in
            completion()
            self?.publisher.note(.settingsChanged, isConsequence: true)
        }
    }
}
