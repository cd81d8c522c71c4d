import Platform
import PlaybackEngine

/// The pause of a live stream. After a pause of `limit` seconds, the connection of the stream is closed, because the buffered audio is then old.
/// Playback then resumes at the live edge (R-LIVE-01).
@MainActor final class LivePause {
    /// The identity of the item whose connection was closed; nil if none was.
    private var released: ItemID?
    /// The item that is paused, and the timer of its pause; nil while no live stream is paused.
    private var pause: (item: ItemID, timer: any ScheduledAction)?
    /// The longest pause, in seconds, after which playback continues with the buffered audio.
    static let limit = 10.0

    /// Starts the timer when a live stream is paused, and cancels it when the stream is no longer paused. Called after each event of the player.
    func update(_ item: AVPlayerItem?, isPaused: Bool, _ environment: PlaybackEnvironment) {
        guard isPaused, let item, item.isRemoteStream, released != item.engineID else { return cancel() }
        guard pause?.item != item.engineID else { return }
        cancel()
        let timer = environment.scheduler.schedule(at: environment.clock.now + Self.limit) { [weak self, weak item] in
            self?.pause = nil
            guard let item, let owner = item.owner, owner.playingItem === item, owner.machine.rate == 0 else { return }
            self?.released = item.engineID
            item.connection.release()
        }
        pause = (item.engineID, timer)
    }

    /// Returns whether the connection of an item was closed during a pause. A second call for the same pause returns false.
    func takeRelease(of item: AVPlayerItem) -> Bool {
        guard released == item.engineID else { return false }
        released = nil
        return true
    }

    func cancel() {
        pause?.timer.cancel()
        pause = nil
    }
}

extension AVPlayerItem {
    /// Whether the item is an open live stream of a server.
    fileprivate var isRemoteStream: Bool {
        guard case .remote = asset.source?.location else { return false }
        return status == .readyToPlay && mediaInfo?.isLive == true
    }
}

extension AVPlayer {
    /// Opens a live stream again if its connection was closed during a long pause, and if `event` ends that pause. Called before the event is
    /// handled.
    func rejoinIfReleased(before event: PlaybackMachine.Event) {
        guard machine.rate == 0, let item = playingItem else { return }
        var probe = machine
        _ = probe.handle(event)
        guard probe.rate != 0, lineup.livePause.takeRelease(of: item) else { return }
        reload(item, at: .zero)
        timeObservers.jump(to: .zero)
        item.post(AVPlayerItem.timeJumpedNotification)
    }
}
