import PlaybackEngine

/// What is heard, noticed at the moment at which it is.
extension AVPlayer {
    /// Lets everything happen that has been heard by now: time observers, the end of the item, a stall.
    func catchUp() {
        guard !isCatchingUp, !isShutDown else { return }
        isCatchingUp = true
        MainTurn.perform {
            while let item = playingItem, machine.isFlowing, let clock, notice(item, clock) {}
            flushTimeObservers()
        }
        isCatchingUp = false
    }

    /// Notices one thing that has been heard; false where nothing is left to notice.
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
            // A seek is on its way: it decides where the item goes on (R-QUEUE-11).
            if seeks.pending?.isPosted == true, instant.item == item.engineID { return false }
            return endHeard(item)
        case .other(let follower):
            if breakOff(item) { return true }
            // The follower was opened before it was joined; that news comes first.
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

    /// What was rendered of an item before it broke has been heard: now it has failed.
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
        // An item that fades into the next one ends, as far as it is told, before its last frame.
        if machine.rate > 0, settings.crossfade == 0 { item.correctDuration(toEnd: end) }
        var rule = position.rule
        rule.rest = end
        rule.isHeld = true
        position.setRule(rule)
        // R-BTO-07: a boundary at the very end comes before the end; a periodic call at the end is the one for the stop.
        flushTimeObservers(onlyBoundaries: true)
        apply(.endHeard)
        return playingItem !== item
    }

    /// The engine is already playing an item that was joined.
    var isFollowerHeard: Bool { clock?.now().item.map(postedUpcoming.contains) ?? false }
    func followerIsReady(_ clock: PlaybackClock) -> Bool { clock.now().item.flatMap(ownItem)?.status == .readyToPlay }

    func flushTimeObservers(onlyBoundaries: Bool = false) {
        guard !timeObservers.isEmpty else { return }
        guard playingItem != nil else { return timeObservers.calm() }
        let instant = position.now()
        timeObservers.flush(time: instant.time, at: instant.hostTime, onlyBoundaries: onlyBoundaries)
    }

    /// Arms the timer for the next moment at which something will have been heard; nothing while nothing moves.
    func rearm() {
        timer?.cancel()
        timer = nil
        flushTimeObservers()
        motionMayHaveChanged?()
        guard let item = playingItem, machine.isFlowing, !isShutDown, let next = nextMark(item) else { return }
        // A mark that lies in the past was looked at just now: the device's clock is a little behind its forecast.
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
        // Until the device runs nothing can be foretold; the engine tells when it does, and this is the net below.
        guard clock.isRunning else { return instant.hostTime + 0.05 }
        let timeline = clock.timeline
        // A forecast is rounded up: at the mark the frame has been reached.
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
