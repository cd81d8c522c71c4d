import CoreMedia
import Platform
package import PlaybackEngine

/// Items whose media may come back, such as files of a disk that is not connected: they wait instead of failing. Not in Apple's API.
extension AVPlayer {
    /// Gets an item that would fail, and the error. Returns whether the item is held: it keeps its place and its status until `retry` or `giveUp`. A
    /// current item that is held waits at its position, at the requested rate. Another one is opened again when it becomes current. The handler is
    /// called under the lock, so a player with a handler is used on the main actor only.
    package typealias FailureHandler = @MainActor (AVPlayerItem, PlaybackError) -> Bool

    /// Fails an item, unless the failure handler holds it.
    @Turn func fail(_ item: AVPlayerItem, _ error: PlaybackError) {
        if let handler = failureHandler, MainActor.assumeIsolated({ handler(item, error) }) { return hold(item) }
        item.engineFailed(error)
        didFail(item)
    }

    @Turn private func hold(_ item: AVPlayerItem) {
        item.setHeld(true)
        guard item === playingItem else {
            item.renewEngineID()
            return postUpcoming()
        }
        rest(item, at: item.phase == .readyToPlay ? heardTime : item.pendingStart)
        lineup.followers = []
        engine.post(.unload)
    }

    /// Opens a held item again, the current one at its position.
    package nonisolated func retry(_ item: AVPlayerItem) {
        turn {
            guard item.isHeld else { return }
            if item === playingItem { return reload(item, at: item.pendingStart) }
            item.setHeld(false)
            postUpcoming()
        }
    }

    /// Lets a held item fail.
    package nonisolated func giveUp(_ item: AVPlayerItem, _ error: PlaybackError) {
        turn {
            guard item.isHeld else { return }
            item.setHeld(false)
            item.engineFailed(error)
            didFail(item)
        }
    }

    /// Seeks a current item that is held: only its position changes.
    @Turn func moveHeld(_ item: AVPlayerItem, to time: CMTime, _ completion: SeekCoordinator.Completion?) {
        let isPossible = time.isNumeric && time >= .zero
        if isPossible {
            item.setPendingStart(time, completion: nil)
            position.setRule(HeardPosition.Rule(item: item.engineID, rest: time, landedSeek: seeks.newest))
            seeks.landed(at: time)
            timeObservers.jump(to: time)
            item.post(AVPlayerItem.timeJumpedNotification)
        }
        if let completion { Turn.enqueueOnMain { completion(isPossible) } }
    }
}
