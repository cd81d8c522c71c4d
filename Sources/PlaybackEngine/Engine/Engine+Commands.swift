import CoreMedia

extension Engine {
    func handle(_ command: EngineCommand) {
        switch command {
        case .load(let request):
            reading.leaveAll()
            dropAll()
            current = request.item
            startTime = request.startTime
            facts.add(request)
            reading.load(request)
        case .unload:
            reading.leaveAll()
            dropAll()
            reading.unload()
        case .setUpcoming(let requests, let item):
            setUpcoming(requests, after: item)
        case .advance:
            advance()
        case .seek(let request):
            begin(request)
        case .configure(let settings):
            configure(settings)
        case .setRunning(let running):
            wantsRunning = running
            if !running { pause() } else if output.continueAfterFade() { publishTimeline(changed: true) }
            // A device that was lost while nothing played is missed now.
            if running, !output.isOpen, current != nil { selectOutput(amongFirst: outputs.count, by: .opened) }
        case .reselectOutput:
            selectOutput(amongFirst: output.isOpen ? outputs.openIndex : outputs.count, by: .found)
        case .setOutputs(let providers):
            outputs.replace(with: providers)
            selectOutput(amongFirst: outputs.count, by: .chosen)
        }
    }

    func handle(_ notice: FeederNotice) {
        switch notice {
        case .opened(let item, let info):
            facts.noteOpened(item, info, sampleRate: output.format.sampleRate)
            if item == current, reading.isAwaitingFirstOrder { beginFirst(item, info.format) }
            emit(.opened(item, info))
        case .failed(let item, let error):
            facts.noteFailed(item)
            emit(.failed(item, error))
            if reading.seek?.request.item == item, let pending = reading.takeSeek() {
                emit(.seekFailed(pending.request.id, item, error))
                resumeFeed()
            }
        case .landed(let landedGeneration, let position):
            reading.noteLanding(landedGeneration, at: position)
        case .seekFailed(let failedGeneration, let error):
            if reading.seek?.generation == failedGeneration, let pending = reading.takeSeek() {
                emit(.seekFailed(pending.request.id, pending.request.item, error))
                resumeFeed()
            } else if failedGeneration == reading.generation, let item = current {
                emit(.failed(item, error))
            }
        case .durationChanged(let item, let duration):
            emit(.durationChanged(item, duration))
        case .packetsSkipped(let item, let count):
            emit(.packetsSkipped(item, count))
        }
    }

    // MARK: Loading

    /// Silence at once, and nothing kept.
    private func dropAll() {
        withdraw()
        output.fadeAway()
        settle()
        clearTrack()
        reading.awaitFirstOrder()
        current = nil
        upcoming = []
        facts.removeAll()
        uncrossed = nil
        cancelSeek(because: "Another item took the place of this one.")
        publishTimeline(changed: true)
    }

    private func cancelSeek(because reason: String) {
        guard let pending = reading.takeSeek() else { return }
        emit(.seekFailed(pending.request.id, pending.request.item, PlaybackError(.cancelled, reason)))
    }

    private func beginFirst(_ item: ItemID, _ itemFormat: AudioFormat) {
        adopt(itemFormat)
        orderFirst(item)
    }

    /// Sends the first order for an item to the feeder: its start, or the position of a pending seek.
    private func orderFirst(_ item: ItemID) {
        setQueueLimits()
        let position = reading.orderFirst(item, from: startTime, delivery)
        output.expect(position != 0 ? .inside : .atStart)
    }

    /// How the feeder is to deliver audio at present.
    private var delivery: Delivery { Delivery(format: output.format, isReverse: settings.isReverse) }

    private func setUpcoming(_ requests: [LoadRequest], after item: ItemID) {
        guard let heard = heardItem else { return }
        var list = requests
        var anchor = item
        if let at = list.firstIndex(where: { $0.item == heard }) {
            // One of the list is being heard already.
            list.removeFirst(at + 1)
            (upcoming, anchor) = (list, heard)
        } else if item != heard, let at = upcoming.firstIndex(where: { $0.item == item }) {
            // The player is ahead: what it calls current has not begun to sound.
            upcoming = Array(upcoming[...at]) + list
        } else {
            (upcoming, anchor) = (list, item == current || item == heard ? item : heard)
        }
        let known = Set(upcoming.map(\.item) + [heard, anchor] + (current.map { [$0] } ?? []))
        for request in requests { facts.add(request) }
        facts.keep(only: known)
        reading.setUpcoming(list, after: anchor)
    }

    private func advance() {
        guard let next = upcoming.first else {
            dropAll()
            reading.unload()
            return
        }
        let wasSeeking = reading.seek != nil
        cancelSeek(because: "The player went on to the next item.")
        if let left = heardItem { reading.leave(left) }
        withdraw()
        timeline.segments = []
        reading.clearResumePoint()
        renderer.reset()
        current = next.item
        upcoming.removeFirst()
        startTime = next.startTime
        if !settings.isReverse, !wasSeeking, !track.isCrossfaded(into: next.item), let position = track.move(toStartOf: next.item) {
            track.trimToCursor()
            let kind: Jump = position == 0 ? .atStart : .inside
            output.replace(with: .jump(kind, opening: (next.item, Double(position)), mark: track.mark))
            output.expect(kind)
            open(next.item, media: Double(position))
            _ = fill()
        } else if let known = facts.format(of: next.item) {
            output.fadeAway()
            track.removeAll()
            beginFirst(next.item, known)
        } else {
            // It is still being opened: it begins when it has been.
            output.fadeAway()
            track.removeAll()
            reading.awaitFirstOrder()
        }
        lastLevel = nil
        settle()
        publishTimeline(changed: true)
    }

    // MARK: Seeking

    private func begin(_ request: SeekRequest) {
        cancelSeek(because: "A newer seek took the place of this one.")
        if request.item == upcoming.first?.item, request.item != heardItem, hasHeardEnd {
            // The player is ahead: it has made the next item current, which has opened too late to be joined.
            advance()
        }
        guard request.item == heardItem else {
            emit(.seekFailed(request.id, request.item, PlaybackError(.cancelled, "The item is not the current one.")))
            return resumeFeed()
        }
        reading.begin(request)
        guard facts.isOpen(request.item), !reading.isAwaitingFirstOrder else { return }
        reading.orderSeek(delivery)
    }

    /// All that was rendered has been heard, and it was an item's end.
    private var hasHeardEnd: Bool {
        guard let last = timeline.segments.last, last.reachesEndOfItem, let end = last.end else { return false }
        return playbackClock.now().frame >= end
    }

    /// A seek has ended that the feeder may have begun to carry out: the audio after what is kept is ordered again.
    private func resumeFeed() {
        guard reading.seek == nil, let item = heardItem, let known = facts.format(of: item) else { return }
        if reading.generation == 0 {
            if !reading.isAwaitingFirstOrder { beginFirst(item, known) }
            return
        }
        guard let rest = track.continuation(isReverse: settings.isReverse) ?? reading.resumePoint else {
            // Nothing has arrived yet, and what was ordered was given up for the seek.
            if timeline.segments.isEmpty { beginFirst(item, known) }
            return
        }
        reading.orderRest(rest.item, from: rest.position, delivery)
    }

    /// Lets the feeder read audio that is not kept, or the other direction. A pending seek is read instead.
    func readAgain(_ item: ItemID, from position: Int64) {
        track.removeAll()
        uncrossed = nil
        output.fadeAway()
        output.expect(.inside)
        reading.orderAgain(item, from: position, delivery)
    }

    /// Switches over to the landing of the pending seek, if enough is decoded there; until then the former audio continues.
    func completeSeek() -> Bool {
        guard let (pending, landed) = reading.landedSeek(primeFrames: plan.primeFrames) else { return false }
        _ = reading.takeSeek()
        let before = reading.lastGeneration
        withdraw()
        guard reading.lastGeneration == before else {
            // The device was lost meanwhile, and other audio was ordered: the seek is ordered once more.
            reading.begin(pending.request)
            reading.orderSeek(delivery)
            return true
        }
        track.removeAll()
        uncrossed = nil
        reading.switchOver(to: pending)
        timeline.segments.removeAll()
        renderer.reset()
        output.expect(landed != 0 ? .inside : .atStart)
        timeline.landedSeek = pending.request.id
        facts.tap(of: pending.request.item)?.restart()
        current = pending.request.item
        _ = fill()
        settle()
        publishTimeline(changed: true)
        _ = startIfReady()
        emit(
            .seekCompleted(pending.request.id, pending.request.item, landed: CMTime(value: landed, timescale: CMTimeScale(output.format.sampleRate))))
        return true
    }

    // MARK: Rate

    /// The rate or its algorithm has changed.
    func rateDidChange(from former: EngineSettings) {
        let isAudibleChange = settings.pitchAlgorithm != former.pitchAlgorithm && abs(former.effectiveRate) != 1
        setQueueLimits()
        if output.isOpen, !timeline.segments.isEmpty {
            if isAudibleChange || settings.effectiveRate != former.effectiveRate { renderAgain() }
        } else if settings.isReverse != former.isReverse {
            turnWhatIsAwaited()
        }
    }

    /// The direction has changed, and there is no sound to be rendered again: what the feeder was asked for is asked for the other way.
    private func turnWhatIsAwaited() {
        guard !reading.isAwaitingFirstOrder, let item = current, facts.isOpen(item) else { return }
        if let point = reading.resumePoint {
            readAgain(point.item, from: point.position)
        } else if timeline.segments.isEmpty {
            track.removeAll()
            reading.discard()
            orderFirst(item)
        } else {
            reading.orderSeekAgain(delivery)
        }
    }
}
