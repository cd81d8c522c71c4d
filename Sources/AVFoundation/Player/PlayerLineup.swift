import Platform
import PlaybackEngine

/// The current item, and those that follow it without a gap.
@Turn final class PlayerLineup {
    var current: AVPlayerItem?
    let livePause = LivePause()
    /// The failure of the current item, until the frames rendered before it have been heard, the item is read again, or another item is current.
    var pendingFailure: PlaybackError?
    /// The upcoming items that were sent to the engine last.
    var followers: [ItemID] = []

    nonisolated init() {}
}

/// Closes the connection of a live stream after a pause of `limit` seconds; playback then resumes at the live edge (R-LIVE-01).
@Turn final class LivePause {
    /// The item whose connection was closed.
    private var released: ItemID?
    /// The present pause and its timer; nil while no live stream is paused.
    private var pause: (item: ItemID, timer: TurnTimer)?
    /// The longest pause, in seconds, after which the buffered audio continues.
    static let limit = 10.0

    nonisolated init() {}

    /// Called after each event of the player.
    func update(_ item: AVPlayerItem?, isPaused: Bool, _ environment: PlaybackEnvironment) {
        guard isPaused, let item, item.isRemoteStream, released != item.engineID else { return cancel() }
        guard pause?.item != item.engineID else { return }
        cancel()
        let timer = TurnTimer.start(at: environment.clock.now + Self.limit, in: environment, for: item) { [weak self, weak item] in
            self?.pause = nil
            guard let item, let owner = item.owner else { return }
            Turn.keep(owner)
            guard owner.playingItem === item, owner.machine.rate == 0 else { return }
            self?.released = item.engineID
            item.connection.release()
        }
        pause = (item.engineID, timer)
    }

    /// Returns whether the item's connection was closed in the pause; the next call returns false.
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
    @Turn fileprivate var isRemoteStream: Bool {
        guard case .remote = asset.source?.location else { return false }
        return status == .readyToPlay && mediaInfo?.isLive == true
    }
}

extension AVPlayer {
    /// Opens a live stream again if `event` ends a pause in which its connection was closed. Called before each event is handled.
    @Turn func rejoinIfReleased(before event: PlaybackMachine.Event) {
        guard machine.rate == 0, let item = playingItem else { return }
        var probe = machine
        _ = probe.handle(event)
        guard probe.rate != 0, lineup.livePause.takeRelease(of: item) else { return }
        reload(item, at: .zero)
        timeObservers.jump(to: .zero)
        item.post(AVPlayerItem.timeJumpedNotification)
    }
}
