import CoreMedia

extension Engine {
    func handle(_ command: EngineCommand) {
        switch command {
        case .load(let request):
            interrupts.raiseCurrent()
            dropAll()
            current = request.item
            startTime = request.startTime
            facts.add(request)
            feeder.post(.load(request))
        case .unload:
            interrupts.raiseCurrent()
            dropAll()
            feeder.post(.unload)
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
            if item == current, isAwaitingFirstFeed { beginFirst(item, info.format) }
            emit(.opened(item, info))
        case .failed(let item, let error):
            facts.noteFailed(item)
            emit(.failed(item, error))
            if let pending = seek, pending.request.item == item {
                seek = nil
                emit(.seekFailed(pending.request.id, item, error))
                resumeFeed()
            }
        case .landed(let landedGeneration, let position):
            if seek?.generation == landedGeneration { seek?.landed = position }
        case .seekFailed(let failedGeneration, let error):
            if let pending = seek, pending.generation == failedGeneration {
                seek = nil
                emit(.seekFailed(pending.request.id, pending.request.item, error))
                resumeFeed()
            } else if failedGeneration == generation, let item = current {
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
        generation = 0
        isAwaitingFirstFeed = true
        current = nil
        upcoming = []
        facts.removeAll()
        uncrossed = nil
        cancelSeek(because: "Another item took the place of this one.")
        publishTimeline(changed: true)
    }

    private func cancelSeek(because reason: String) {
        guard let pending = seek else { return }
        seek = nil
        emit(.seekFailed(pending.request.id, pending.request.item, PlaybackError(.cancelled, reason)))
    }

    private func beginFirst(_ item: ItemID, _ itemFormat: AudioFormat) {
        adopt(itemFormat)
        isAwaitingFirstFeed = false
        orderFirst(item)
    }

    /// Sends the first order for an item to the feeder: its start, or where a pending seek wants it.
    private func orderFirst(_ item: ItemID) {
        var target = startTime
        var (before, after) = (Int64(0), Int64(0))
        let pending = seek
        if let request = pending?.request, request.item == item {
            target = request.time
            before = FrameCount.frames(of: request.toleranceBefore, sampleRate: output.format.sampleRate) ?? 0
            after = FrameCount.frames(of: request.toleranceAfter, sampleRate: output.format.sampleRate) ?? 0
        }
        let position = max(0, FrameCount.frames(of: target, sampleRate: output.format.sampleRate) ?? 0)
        let first = beginGeneration()
        if pending != nil { seek?.generation = first } else { generation = first }
        output.expect(position != 0 ? .inside : .atStart)
        setQueueLimits()
        order(
            FeedOrder(
                generation: first, item: item, position: position, before: before, after: after, format: output.format, isReverse: settings.isReverse)
        )
    }

    /// Sends the feeder an order, before which it is to drop what it is doing: a read may wait for a server, and a seek for a scan.
    private func order(_ order: FeedOrder) {
        interrupts.announceOrder()
        feeder.post(.feed(order))
    }

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
        feeder.post(.setUpcoming(list, after: anchor))
    }

    private func advance() {
        guard let next = upcoming.first else {
            dropAll()
            feeder.post(.unload)
            return
        }
        let wasSeeking = seek != nil
        cancelSeek(because: "The player went on to the next item.")
        if let left = heardItem { interrupts.raise(left) }
        withdraw()
        timeline.segments = []
        goesOnAt = nil
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
            generation = 0
            isAwaitingFirstFeed = true
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
        seek = PendingSeek(request: request, generation: beginGeneration())
        guard facts.isOpen(request.item), !isAwaitingFirstFeed else { return }
        orderSeek()
    }

    /// All that was rendered has been heard, and it was an item's end.
    private var hasHeardEnd: Bool {
        guard let last = timeline.segments.last, last.reachesEndOfItem, let end = last.end else { return false }
        return playbackClock.now().frame >= end
    }

    /// A seek is over that the feeder may have begun to carry out: the sound that goes on is asked for again where it was taken away.
    private func resumeFeed() {
        guard seek == nil, let item = heardItem, let known = facts.format(of: item) else { return }
        if generation == 0 {
            if !isAwaitingFirstFeed { beginFirst(item, known) }
            return
        }
        guard let goesOn = track.continuation(isReverse: settings.isReverse) ?? goesOnAt else {
            // Nothing has come yet, and what was asked for has been given up for the seek.
            if timeline.segments.isEmpty { beginFirst(item, known) }
            return
        }
        generation = beginGeneration()
        order(FeedOrder(generation: generation, item: goesOn.item, position: goesOn.position, format: output.format, isReverse: settings.isReverse))
    }

    /// Sends the pending seek to the feeder.
    private func orderSeek() {
        guard let pending = seek else { return }
        let (request, sampleRate) = (pending.request, output.format.sampleRate)
        order(
            FeedOrder(
                generation: pending.generation, item: request.item,
                position: max(0, FrameCount.frames(of: request.time, sampleRate: sampleRate) ?? 0),
                before: FrameCount.frames(of: request.toleranceBefore, sampleRate: sampleRate) ?? 0,
                after: FrameCount.frames(of: request.toleranceAfter, sampleRate: sampleRate) ?? 0, format: output.format,
                isReverse: settings.isReverse))
    }

    /// Sound from a position on is needed and not kept, or is needed in the other direction: the feeder reads it. A pending seek decides instead
    /// where there is one.
    func readAgain(_ item: ItemID, from position: Int64) {
        track.removeAll()
        uncrossed = nil
        output.fadeAway()
        output.expect(.inside)
        goesOnAt = (item, max(0, position))
        if seek != nil {
            // Nothing of what was being read is to be heard any more.
            generation = beginGeneration()
            seek?.generation = beginGeneration()
            seek?.landed = nil
            orderSeek()
        } else {
            generation = beginGeneration()
            order(FeedOrder(generation: generation, item: item, position: max(0, position), format: output.format, isReverse: settings.isReverse))
        }
    }

    /// Switches over to where a seek landed, once enough has been decoded there; until then the old sound goes on.
    func completeSeek() -> Bool {
        guard let pending = seek, let landed = pending.landed, isPrimed(pending.generation) else { return false }
        seek = nil
        let before = nextGeneration
        withdraw()
        guard nextGeneration == before else {
            // The device was lost in that moment, and sound was asked for again elsewhere: ask for the seek once more.
            seek = PendingSeek(request: pending.request, generation: beginGeneration())
            orderSeek()
            return true
        }
        track.removeAll()
        (uncrossed, goesOnAt) = (nil, nil)
        generation = pending.generation
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

    /// Whether enough of a generation waits; where not, the feeder will wake us.
    private func isPrimed(_ generation: Int) -> Bool {
        for _ in 0..<2 {
            if let ready = queue.readiness(generation: generation), ready.hasEnd || ready.frames >= plan.primeFrames { return true }
            queue.consumerWaits()
        }
        return false
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
        guard !isAwaitingFirstFeed, let item = current, facts.isOpen(item) else { return }
        if let goesOnAt {
            readAgain(goesOnAt.item, from: goesOnAt.position)
        } else if timeline.segments.isEmpty {
            track.removeAll()
            generation = 0
            seek?.landed = nil
            orderFirst(item)
        } else if seek != nil {
            seek?.generation = beginGeneration()
            seek?.landed = nil
            orderSeek()
        }
    }
}
