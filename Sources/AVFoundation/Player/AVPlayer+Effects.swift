import PlaybackEngine

/// Performs the effects that `PlaybackMachine` decides.
extension AVPlayer {
    /// Passes an event to the machine, publishes the changed properties, and performs the effects (R-EOI-05: rate, status, then notifications).
    func apply(_ event: PlaybackMachine.Event) {
        guard !isShutDown else { return }
        MainTurn.perform {
            let before = machine
            var after = machine
            let effects = after.handle(event)
            var keys: [StateKey] = []
            if before.rate != after.rate { keys.append(.rate) }
            if TimeControlStatus(before.status) != TimeControlStatus(after.status) { keys.append(.timeControlStatus) }
            if WaitingReason(before.status) != WaitingReason(after.status) { keys.append(.reasonForWaitingToPlay) }
            if before.defaultRate != after.defaultRate { keys.append(.defaultRate) }
            if before.waitsAutomatically != after.waitsAutomatically { keys.append(.automaticallyWaitsToMinimizeStalling) }
            if before.endAction != after.endAction { keys.append(.actionAtItemEnd) }
            hub.change(keys) { machine = after }
            if (before.effectiveRate != 0) != (after.effectiveRate != 0) { timeObservers.movementChanged() }
            for effect in effects { perform(effect) }
            if !machine.isHeldBack { sync.release() }
            logMovement()
            rearm()
        }
    }

    func perform(_ effect: PlaybackMachine.Effect) {
        switch effect {
        case .setEngineRunning(let isRunning):
            if isRunning {
                guard session.playbackDidBegin() else {
                    return environment.scheduler.async { [weak self] in self?.apply(.outputFailed) }
                }
                sync.deviceStarts(at: environment.clock.now)
            }
            post(.setRunning(isRunning))
        case .setEngineRate(let rate):
            // An engine starts at rate 1. The machine sends another direction after its first item has opened.
            if engine != nil { configure { $0.rate = rate } }
        case .postRateDidChange(let reason): postRateDidChange(reason)
        case .postStalled:
            playingItem?.log.stalled()
            playingItem?.post(AVPlayerItem.playbackStalledNotification)
        case .postDidPlayToEnd: playingItem?.post(AVPlayerItem.didPlayToEndTimeNotification)
        case .postFailedToPlayToEnd:
            var userInfo: [AnyHashable: Any] = [:]
            userInfo[AVPlayerItemFailedToPlayToEndTimeErrorKey] = playingItem?.error
            playingItem?.post(AVPlayerItem.failedToPlayToEndTimeNotification, userInfo: userInfo)
        case .advance: goToNext(isNatural: playingItem?.status != .failed || isFollowerHeard)
        case .endPreroll(let isPrimed): completePreroll(isPrimed)
        case .countPastEnd:
            var rule = position.rule
            rule.counting = (since: environment.clock.now, rate: machine.rate)
            position.setRule(rule)
        }
    }
}
