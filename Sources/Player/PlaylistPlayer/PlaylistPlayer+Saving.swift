import AVFoundation
import CoreMedia
import PlaybackEngine

/// Saving for the next run of the program, and restoring.
extension PlaylistPlayer {
    /// The saved state, without the choice of the output.
    var saved: SavedPlayer {
        var saved = SavedPlayer()
        saved.playlist = playlist.saved
        saved.edition = model.edition
        // After the end, `play` starts this entry again, so its start is saved as the position.
        saved.playhead = SavedPlayer.Playhead(time: hasEnded ? 0 : max(0, player.currentTime().seconds), rate: player.requestedRate)
        saved.settings.volume = volume
        saved.settings.isMuted = player.isMuted
        saved.settings.defaultRate = player.requestedDefaultRate
        saved.settings.automaticallyWaitsToMinimizeStalling = player.automaticallyWaitsToMinimizeStalling
        saved.settings.actionAtItemEnd = loader.actionAtItemEnd
        saved.settings.audioTimePitchAlgorithm = loader.pitchAlgorithm.engineAlgorithm
        saved.settings.crossfadeDuration = player.crossfadeDuration.seconds
        saved.settings.loudnessNormalization = player.loudnessNormalization
        saved.settings.outputRates = player.outputRates
        return saved
    }

    /// The rate of the heard position; 0 while it does not advance.
    var motionRate: Double { player.motion()?.rate ?? publisher.published.anchor.rate }

    /// The position to remember; nil for short media, and while the position or the duration is unknown, as during a seek.
    var positionToRemember: MediaPosition? {
        guard let current = loader.current, current.item.status == .readyToPlay, current.item.duration.isNumeric, !player.isSeeking,
            let entry = playlist.entry(current.id)
        else { return nil }
        let (time, duration) = (max(0, player.currentTime().seconds), current.item.duration.seconds)
        return MediaPositions.position(url: entry.spec.url, time: time, duration: duration)
    }

    /// Restores the state. Playback stays paused; values out of range are ignored, a volume that cannot be read is replaced by a safe one.
    func restore(_ saved: SavedPlayer) {
        let settings = saved.settings
        setVolume(settings.volume.flatMap { (0...1).contains($0) ? $0 : nil } ?? SavedSettings.safeVolume)
        if let value = settings.isMuted { player.isMuted = value }
        if let value = settings.defaultRate, value != 0, abs(value) <= 32 { player.requestedDefaultRate = value }
        if let value = settings.automaticallyWaitsToMinimizeStalling { player.automaticallyWaitsToMinimizeStalling = value }
        if let value = settings.actionAtItemEnd { loader.setActionAtItemEnd(value) }
        if let value = settings.audioTimePitchAlgorithm { loader.setPitchAlgorithm(AVAudioTimePitchAlgorithm(value)) }
        if let value = settings.crossfadeDuration, CrossfadeDuration.range.contains(value) {
            player.crossfadeDuration = CMTime(remoteSeconds: value)
        }
        if let value = settings.loudnessNormalization { player.loudnessNormalization = value }
        if let value = settings.outputRates { player.outputRates = value }
        guard let current = playlist.current else { return }
        let time = saved.playhead.time
        loader.load(current, startTime: time.isFinite ? time : nil)
    }

    /// Returns to the start if the remembered position belongs to another recording with the same URL.
    func checkRememberedStart(of entry: QueuedEntry) {
        guard let remembered = entry.rememberedStart, entry.item.status == .readyToPlay else { return }
        entry.checkedRememberedStart()
        let duration = entry.item.duration.isNumeric ? entry.item.duration.seconds : nil
        if !MediaPositions.isSame(remembered, duration: duration) { entry.item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero) }
    }

    /// Starts playback at the saved rate; has no effect if playback was paused.
    public func resume(_ saved: SavedPlayer) {
        let rate = saved.playhead.rate
        guard rate != 0, abs(rate) <= 32, playlist.currentID != nil else { return }
        _ = try? performNow(.play(rate: rate), origin: "player")
    }
}
