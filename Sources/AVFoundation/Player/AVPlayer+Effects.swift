import Platform
import PlaybackEngine

/// Performs the effects that `PlaybackMachine` has decided.
@Turn extension AVPlayer {
    func perform(_ effect: PlaybackMachine.Effect) {
        switch effect {
        case .setEngineRunning(let isRunning):
            if isRunning {
                session.playbackDidBegin()
                sync.deviceStarts(at: environment.clock.now)
            }
            engine.post(.setRunning(isRunning))
        case .setEngineRate(let rate):
            // An engine that is not started yet gets the rate at its start.
            configure { $0.rate = rate }
        case .postRateDidChange(let reason): postRateDidChange(reason)
        case .postStalled:
            playingItem?.log.stalled()
            playingItem?.post(AVPlayerItem.playbackStalledNotification)
        case .postDidPlayToEnd: playingItem?.post(AVPlayerItem.didPlayToEndTimeNotification)
        case .postFailedToPlayToEnd:
            var userInfo: [AnyHashable: Any] = [:]
            userInfo[AVPlayerItemFailedToPlayToEndTimeErrorKey] = playingItem?.error
            playingItem?.post(AVPlayerItem.failedToPlayToEndTimeNotification, userInfo: userInfo)
        case .advance: goToNext(isNatural: playingItem?.phase != .failed || isFollowerHeard)
        case .endPreroll(let isPrimed): completePreroll(isPrimed)
        case .countPastEnd: position.count(since: environment.clock.now, rate: machine.rate)
        }
    }
}
