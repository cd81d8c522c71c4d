import Platform
import PlaybackEngine

/// Detects the events that depend on the heard position (the position of the audio that the listener hears now).
@Turn extension AVPlayer {
    /// Processes all events that the heard position has reached: calls of time observers, the end of the item, a stall.
    func catchUp() {
        guard !isShutDown else { return }
        marks.process {
            Turn.asOwnChange {
                while let item = playingItem, machine.isFlowing, notice(item) {}
                flushTimeObservers()
            }
        }
    }

    /// Advances the time observers, and processes the next event that the heard position has reached. Returns whether a further event can be
    /// processed now: false if none was reached, or if the event has to wait for a seek or for the opening of the next item.
    private func notice(_ item: AVPlayerItem) -> Bool {
        guard let heard = position.timeline() else { return false }
        let now = heard.instant.hostTime
        for turn in heard.turns(after: timeObservers.frame) { timeObservers.turn(from: turn.from, to: turn.to, at: now) }
        timeObservers.advance(to: position.reading(at: now).time, at: now, frame: heard.instant.frame)
        if machine.isPastEnd { return false }
        switch heard.marks(followers: lineup.followers).reached {
        case .end:
            // R-QUEUE-11: during a seek, the end of the rendered audio is not the end of the item, because the seek decides the item's next position.
            if seeks.pending?.isPosted == true, heard.instant.item == item.engineID { return false }
            return endHeard(item)
        case .other(let follower):
            if breakOff(item) { return true }
            // The engine has sent the event `opened` of the next item before it rendered the item's audio. The player must process the event `opened`
            // of the next item before it makes this item current.
            guard ownItem(follower)?.phase == .readyToPlay else { return false }
            return endHeard(item)
        case .underrun:
            if breakOff(item) { return true }
            guard let level = item.bufferLevel, !level.isLikelyToKeepUp, !level.isFull, heard.isRunning || level.isEmpty, seeks.pending == nil else {
                return false
            }
            apply(.underran)
            return false
        case nil: return false
        }
    }

    /// If the engine has reported an error of the item, fails the item. Called after the last rendered audio of the item has been heard.
    private func breakOff(_ item: AVPlayerItem) -> Bool {
        guard let error = lineup.pendingFailure.take() else { return false }
        fail(item, error)
        return true
    }

    private func endHeard(_ item: AVPlayerItem) -> Bool {
        if let follower = heardFollower, ownItem(follower)?.phase != .readyToPlay { return false }
        let end = position.reading(at: environment.clock.now).time
        // With a crossfade, the reported end does not determine the item's duration, because an item's reported end is before its last frame.
        if machine.rate > 0, engine.settings.crossfade == 0 { item.correctDuration(toEnd: end) }
        position.hold(at: end)
        // R-BTO-07: a boundary observer at the very end of an item is called before the end is reported. Periodic observers are called after the end
        // was reported, when playback stops.
        flushTimeObservers(onlyBoundaries: true)
        apply(.endHeard)
        return playingItem !== item
    }

    /// The item whose audio is heard now, if this item follows the current item without a gap; otherwise nil.
    private var heardFollower: ItemID? {
        position.timeline()?.instant.item.flatMap { lineup.followers.contains($0) ? $0 : nil }
    }
    var isFollowerHeard: Bool { heardFollower != nil }

    func flushTimeObservers(onlyBoundaries: Bool = false) {
        guard !timeObservers.isEmpty else { return }
        guard playingItem != nil else { return timeObservers.calm() }
        let instant = position.now()
        timeObservers.flush(time: instant.time, at: instant.hostTime, onlyBoundaries: onlyBoundaries)
    }

    /// Schedules the timer for the next event that depends on the heard position. While the heard position does not advance, no timer is scheduled.
    func rearm() {
        marks.cancel()
        if !isShutDown { playingItem?.followTimedMetadata(to: position.reading(at: environment.clock.now).time) }
        flushTimeObservers()
        notify(.motionMayHaveChanged)
        guard let item = playingItem, machine.isFlowing, !isShutDown, let next = nextMark(item) else { return }
        marks.schedule(at: next, for: self) { [weak self] in
            self?.catchUp()
            self?.rearm()
        }
    }

    private func nextMark(_ item: AVPlayerItem) -> HostTime? {
        let instant = position.reading(at: environment.clock.now)
        let isForward = machine.rate > 0
        let rate = Double(instant.time.timescale)
        if machine.isPastEnd {
            return timeObservers.nextMark(after: instant.time, forward: isForward, sampleRate: Int(rate)) { frame in
                instant.hostTime + (frame - Double(instant.time.value)) / rate / self.machine.rate
            }
        }
        guard let heard = position.timeline() else { return nil }
        // Before the device runs, the host times of frames cannot be predicted. The engine reports the start of the device; a timer
        // of 50 ms is the fallback.
        guard heard.isRunning else { return instant.hostTime + 0.05 }
        var times: [HostTime] = []
        let marks = heard.marks(followers: lineup.followers)
        let isSufficient = item.bufferLevel.map { $0.isLikelyToKeepUp || $0.isFull } ?? false
        // If the engine will render more audio, the end of the audio rendered so far is no event.
        let isFollowed = isSufficient && lineup.pendingFailure == nil
        if let frame = marks.nextFrame, !(isFollowed && heard.isOpenEnd(frame)), let time = heard.hostTime(of: frame) { times.append(time) }
        if marks.reached != nil { times.append(instant.hostTime + 0.02) }
        if !timeObservers.isEmpty, let turn = heard.nextTurn.flatMap(heard.hostTime(of:)) { times.append(turn) }
        let observed = timeObservers.nextMark(
            after: instant.time, forward: isForward, sampleRate: heard.sampleRate, hostTime: heard.hostTime(ofMedia:))
        if let observed { times.append(observed) }
        if isForward, let next = item.attached.timedMetadata.next(after: instant.time.seconds) {
            let frame = (next * Double(heard.sampleRate)).rounded(.up)
            if let time = heard.hostTime(ofMedia: frame) { times.append(time) }
        }
        return times.min()
    }
}
