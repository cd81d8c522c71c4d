import PlaybackEngine

/// Detects what has been heard, at the time when it is heard.
extension AVPlayer {
    /// Processes everything that has been heard by now: calls of time observers, the end of the item, a stall.
    func catchUp() {
        guard !isCatchingUp, !isShutDown else { return }
        isCatchingUp = true
        MainTurn.perform {
            while let item = playingItem, machine.isFlowing, let clock, notice(item, clock) {}
            flushTimeObservers()
        }
        isCatchingUp = false
    }

    /// Processes one thing that has been heard. Returns false if nothing is left.
    func notice(_ item: AVPlayerItem, _ clock: PlaybackClock) -> Bool {
        let now = environment.clock.now
        if machine.isPastEnd {
            timeObservers.advance(to: position.reading(at: now).time, at: now)
            return false
        }
        let instant = clock.reading(at: now)
        let watch = heardWatch(item, clock.timeline, heard: instant.frame)
        timeObservers.advance(to: position.reading(at: now).time, at: now)
        switch watch.reached {
        case .end:
            // R-QUEUE-11: the engine is performing a seek, which decides the item's next position. So this is not the end.
            if seeks.pending?.isPosted == true, instant.item == item.engineID { return false }
            return endHeard(item)
        case .other(let follower):
            if breakOff(item) { return true }
            // The engine opened the joined item before it rendered it. Its `opened` event must be processed first.
            guard ownItem(follower)?.status == .readyToPlay else { return false }
            return endHeard(item)
        case .dry:
            if breakOff(item) { return true }
            guard let level = item.bufferLevel, !level.isLikelyToKeepUp, !level.isFull, clock.isRunning || level.isEmpty, seeks.pending == nil else {
                return false
            }
            apply(.ranDry)
            return false
        case nil: return false
        }
    }

    /// Fails the item after its last rendered audio has been heard, if the engine has reported an error for it.
    func breakOff(_ item: AVPlayerItem) -> Bool {
        guard let error = pendingFailure else { return false }
        pendingFailure = nil
        item.engineFailed(error)
        didFail(item)
        return true
    }

    func heardWatch(_ item: AVPlayerItem, _ timeline: Timeline, heard: Int64) -> HeardWatch {
        HeardWatch(timeline, item: item.engineID, floor: position.rule.floor, heard: heard, followers: postedUpcoming)
    }

    func endHeard(_ item: AVPlayerItem) -> Bool {
        if let clock, isFollowerHeard, !followerIsReady(clock) { return false }
        let end = position.now().time
        // With a crossfade, an item's reported end is before its last frame. So it does not determine the duration.
        if machine.rate > 0, settings.crossfade == 0 { item.correctDuration(toEnd: end) }
        var rule = position.rule
        rule.rest = end
        rule.isHeld = true
        position.setRule(rule)
        // R-BTO-07: a boundary at the very end is called before the end is reported. Periodic observers are called at the stop, which follows.
        flushTimeObservers(onlyBoundaries: true)
        apply(.endHeard)
        return playingItem !== item
    }

    /// Whether the item that is heard now is one that the engine joined to the current item.
    var isFollowerHeard: Bool { clock?.now().item.map(postedUpcoming.contains) ?? false }
    func followerIsReady(_ clock: PlaybackClock) -> Bool { clock.now().item.flatMap(ownItem)?.status == .readyToPlay }

    func flushTimeObservers(onlyBoundaries: Bool = false) {
        guard !timeObservers.isEmpty else { return }
        guard playingItem != nil else { return timeObservers.calm() }
        let instant = position.now()
        timeObservers.flush(time: instant.time, at: instant.hostTime, onlyBoundaries: onlyBoundaries)
    }

    /// Schedules the timer for the next time at which something will have been heard. No timer if nothing moves.
    func rearm() {
        timer?.cancel()
        timer = nil
        flushTimeObservers()
        motionMayHaveChanged?()
        guard let item = playingItem, machine.isFlowing, !isShutDown, let next = nextMark(item) else { return }
        // A mark in the past has just been processed: the device's clock is slightly behind its forecast. Wait at least 0.5 ms.
        let earliest = environment.clock.now + 0.0005
        timer = environment.scheduler.schedule(at: max(next, earliest)) { [weak self] in
            guard let self else { return }
            timer = nil
            MainTurn.perform {
                self.catchUp()
                self.rearm()
            }
        }
    }

    func nextMark(_ item: AVPlayerItem) -> HostTime? {
        let instant = position.now()
        let isForward = machine.rate > 0
        let rate = Double(instant.time.timescale)
        if machine.isPastEnd {
            return timeObservers.nextMark(after: instant.time, forward: isForward, sampleRate: Int(rate)) { frame in
                instant.hostTime + (frame - Double(instant.time.value)) / rate / self.machine.rate
            }
        }
        guard let clock else { return nil }
        // Before the device runs, no forecast is possible. The engine reports the start of the device; this timer (50 ms) is the fallback.
        guard clock.isRunning else { return instant.hostTime + 0.05 }
        let timeline = clock.timeline
        // A forecast is rounded up, so that the frame has been reached at the mark.
        func hostTime(_ frame: Int64) -> HostTime? { clock.hostTime(ofFrame: frame).map { $0 + 2e-9 } }
        var marks: [HostTime] = []
        let watch = heardWatch(item, timeline, heard: clock.reading(at: instant.hostTime).frame)
        let isSufficient = item.bufferLevel.map { $0.isLikelyToKeepUp || $0.isFull } ?? false
        if let frame = watch.nextFrame, frame != timeline.written || !isSufficient || pendingFailure != nil || hasEnd(timeline, at: frame),
            let mark = hostTime(frame)
        {
            marks.append(mark)
        }
        if watch.reached != nil { marks.append(instant.hostTime + 0.02) }
        let observed = timeObservers.nextMark(after: instant.time, forward: isForward, sampleRate: timeline.sampleRate) { media in
            for segment in timeline.segments where segment.item == item.engineID {
                guard let frame = segment.outputFrame(ofMedia: media), frame <= segment.end ?? Int64.max, frame > instant.frame else { continue }
                return hostTime(frame)
            }
            return nil
        }
        if let observed { marks.append(observed) }
        return marks.min()
    }

    func hasEnd(_ timeline: Timeline, at frame: Int64) -> Bool { timeline.segments.contains { $0.end == frame } }
}
