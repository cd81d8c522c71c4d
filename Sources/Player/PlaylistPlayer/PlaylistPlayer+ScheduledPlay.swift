import AVFoundation
import Platform
import PlaybackEngine

extension PlaylistPlayer {
    /// The player stays paused until shortly before. A `pause` or a `play` cancels it.
    func schedulePlay(at moment: StartMoment, rate: Double?, fade: Double, origin: String) throws(PlayerRefusal) {
        guard playlist.currentID != nil || book.nextID != nil else { throw .noItem }
        let wait = scheduledPlay.hostTime(of: moment) - environment.clock.now.seconds
        guard wait >= -StartMoment.tolerance else { throw .startInPast }
        guard wait <= StartMoment.longestWait else { throw .startTooLate(maximum: StartMoment.longestWait) }
        let wanted = rate ?? player.requestedDefaultRate
        try checkPlayable(wanted)
        guard player.requestedRate == 0 else { throw .alreadyPlaying }
        // So that its audio is ready.
        if playlist.currentID == nil, let first = book.nextID.flatMap(playlist.entry) { feeder.go(to: first) }
        scheduledPlay.wait(for: moment, notice: AVPlayer.startNotice) { [weak self] host in
            guard let self else { return }
            // The command was accepted; if the item cannot play at the rate, the player stays paused.
            try? publisher.act(for: origin, .setRateCalled) { () throws(PlayerRefusal) in
                try play(rate: wanted, fade: fade, at: HostTime(nanoseconds: Int64((host * 1e9).rounded())))
            }
        }
        publisher.scheduleUpdate()
    }
}
