import AVFoundation
import Platform
import PlaybackEngine

/// The start of playback at a host time or a date.
extension PlaylistPlayer {
    /// Plays at the moment `moment`, for the client `origin`. The player stays paused until shortly before `moment`. A `pause` or a `play` cancels
    /// the scheduled start.
    func schedulePlay(at moment: StartMoment, rate: Double?, fade: Double, origin: String) throws(PlayerRefusal) {
        guard playlist.currentID != nil || book.nextID != nil else { throw .noItem }
        let wait = scheduledPlay.hostTime(of: moment) - environment.clock.now.seconds
        guard wait >= -StartMoment.tolerance else { throw .startInPast }
        guard wait <= StartMoment.longestWait else { throw .startTooLate(maximum: StartMoment.longestWait) }
        let wanted = rate ?? player.requestedDefaultRate
        try checkPlayable(wanted)
        guard player.requestedRate == 0 else { throw .alreadyPlaying }
        // The first entry is opened now, so that its audio is ready when playback starts.
        if playlist.currentID == nil, let first = book.nextID.flatMap(playlist.entry) { feeder.go(to: first) }
        scheduledPlay.wait(for: moment, notice: AVPlayer.startNotice) { [weak self] host in
            guard let self else { return }
            // The command was accepted, so no error can be returned now. If the item cannot play at the rate, the player stays paused.
            try? publisher.act(for: origin, .setRateCalled) { () throws(PlayerRefusal) in
                try play(rate: wanted, fade: fade, at: HostTime(nanoseconds: Int64((host * 1e9).rounded())))
            }
        }
        publisher.scheduleUpdate()
    }
}
