import AVFoundation
import CoreMedia
import Platform
public import PlaybackEngine

extension PlaylistPlayer {
    public func moveSound(to output: OutputWish, origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .outputChanged) { () throws(PlayerRefusal) in player.setOutput(output) }
    }

    public var outputRates: OutputRates { player.outputRates }
}

extension PlaylistPlayer {
    /// Changes the volume over `fade` seconds, in place of a fade in progress. If playback is paused or fades to a pause, the volume changes at once.
    func setVolume(_ newVolume: Double, fade seconds: Double = 0) {
        let from = volumeFade.level ?? volume
        let isPausing = volumeFade.state?.kind == .pause
        noteVolume(newVolume)
        guard seconds > 0, player.requestedRate != 0, !isPausing else { return endFade() }
        begin(PlayerState.Fade(kind: .volume, from: from, to: newVolume, seconds: seconds, hostTime: environment.clock.now.seconds)) {}
    }

    /// Changes the volume, limited to 0…1.
    func changeVolume(by change: Double, fade seconds: Double) {
        // The sum is rounded to nine decimals, so that ten steps of 0.1 are exactly 1.
        setVolume(min(1, max(0, ((volume + change) * 1e9).rounded() / 1e9)), fade: seconds)
    }

    /// Raises the volume from 0, or from the present volume of an unfinished fade. The fade begins at the host time `host`, or when playback starts.
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

    /// Lowers the volume, pauses, and then restores the volume. Pauses at once if nothing plays.
    func fadeToPause(during seconds: Double, origin: String) {
        guard seconds > 0, player.timeControlStatus == .playing else { return player.pause() }
        let level = volumeFade.level ?? volume
        begin(PlayerState.Fade(kind: .pause, from: level, to: 0, seconds: seconds, hostTime: environment.clock.now.seconds)) { [weak self] in
            guard let self else { return }
            publisher.act(for: origin, .setRateCalled) { player.pause() }
        }
    }

    /// Ends the fade: the volume that a client has set is audible again.
    func endFade() {
        volumeFade.cancel()
        player.volume = Float(volume)
    }

    /// Called after the requested rate has changed. A pause ends a fade-in, and a fade-out to a pause. It does not restore the volume, because the
    /// device still plays for 5 ms, in which the restored volume would be heard. A later start of playback restores the volume, unless a fade is in
    /// progress.
    func followRate() {
        if player.requestedRate != 0 {
            if volumeFade.state == nil { player.volume = Float(volume) }
        } else if let kind = volumeFade.state?.kind, kind != .volume {
            volumeFade.cancel()
        }
    }

    /// Takes over the volume that another program has given the stream, which also ends a fade. A fade to a pause goes on, because its end is silence,
    /// and takes over only a lower volume than its present one: a report may be older than the last step.
    func adoptVolume() {
        // Rounded down, so that the volume never rises.
        let adopted = (Double(player.volume) * 10_000).rounded(.down) / 10_000
        if volumeFade.state?.kind == .pause {
            guard let level = volumeFade.level, player.volume < Float(level) else { return }
            // What the listener has lowered is a level of the fade, so the volume of the next start is lowered by the same factor.
            volumeFade.lower(by: adopted / level)
            noteVolume((volume * adopted / level * 10_000).rounded(.down) / 10_000)
        } else {
            volumeFade.cancel()
            noteVolume(adopted)
        }
        publisher.note(.settingsChanged)
    }

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
