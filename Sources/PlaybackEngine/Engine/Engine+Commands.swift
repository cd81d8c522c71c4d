import CoreMedia

extension Engine {
    func handle(_ command: EngineCommand) {
        switch command {
        case .load(let request):
            dropAll()
            current = request.item
            startTime = request.startTime
            feeder.post(.load(request))
        case .unload:
            dropAll()
            feeder.post(.unload)
        case .setUpcoming(let requests):
            setUpcoming(requests)
        case .advance:
            advance()
        case .seek(let request):
            begin(request)
        case .setRate(let newRate):
            setRate(newRate, algorithm)
        case .setPitchAlgorithm(let newAlgorithm):
            setRate(rate, newAlgorithm)
        case .setRunning(let running):
            wantsRunning = running
            if !running { stopDevice() }
        case .setVolume(let newVolume, let muted):
            (volume, isMuted) = (newVolume, muted)
            sink?.setVolume(newVolume, isMuted: muted)
        case .reselectOutput:
            selectOutput(keepingCurrentAt: sink == nil ? outputs.count : outputIndex)
        case .setOutputs(let providers):
            outputs = providers
            selectOutput(keepingCurrentAt: outputs.count)
        }
    }

    func handle(_ notice: FeederNotice) {
        switch notice {
        case .opened(let item, let info):
            infos[item] = info
            if item == current, isAwaitingFirstFeed { beginFirst(item, info) }
            emit(.opened(item, info))
        case .failed(let item, let error):
            infos[item] = nil
            emit(.failed(item, error))
            if let pending = seek, pending.request.item == item {
                seek = nil
                emit(.seekFailed(pending.request.id, item, error))
            }
        case .landed(let landedGeneration, let position):
            if seek?.generation == landedGeneration { seek?.landed = position }
        case .seekFailed(let failedGeneration, let error):
            if let pending = seek, pending.generation == failedGeneration {
                seek = nil
                emit(.seekFailed(pending.request.id, pending.request.item, error))
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
        clearTrack()
        generation = 0
        isAwaitingFirstFeed = true
        current = nil
        upcoming = []
        infos = [:]
        cancelSeek(because: "Another item took the place of this one.")
        publishTimeline(changed: true)
    }

    private func cancelSeek(because reason: String) {
        guard let pending = seek else { return }
        seek = nil
        emit(.seekFailed(pending.request.id, pending.request.item, PlaybackError(.cancelled, reason)))
    }

    private func beginFirst(_ item: ItemID, _ info: MediaInfo) {
        adopt(info.format)
        isAwaitingFirstFeed = false
        var target = startTime
        var (before, after) = (Int64(0), Int64(0))
        let pending = seek
        if let request = pending?.request, request.item == item {
            target = request.time
            before = FrameCount.frames(of: request.toleranceBefore, sampleRate: format.sampleRate) ?? 0
            after = FrameCount.frames(of: request.toleranceAfter, sampleRate: format.sampleRate) ?? 0
        }
        let position = max(0, FrameCount.frames(of: target, sampleRate: format.sampleRate) ?? 0)
        let first = beginGeneration()
        if pending != nil { seek?.generation = first } else { generation = first }
        rampsIn = position != 0
        setQueueLimits()
        feeder.post(
            .feed(
                FeedOrder(generation: first, item: item, position: position, before: before, after: after, format: format, isReverse: rate < 0)))
    }

    private func setUpcoming(_ requests: [LoadRequest]) {
        guard let heard = heardItem else { return }
        var list = requests
        if let at = list.firstIndex(where: { $0.item == heard }) { list.removeFirst(at + 1) }
        upcoming = list
        feeder.post(.setUpcoming(list, after: heard))
    }

    private func advance() {
        guard let next = upcoming.first else {
            dropAll()
            feeder.post(.unload)
            return
        }
        cancelSeek(because: "The player went on to the next item.")
        withdraw()
        timeline.segments = []
        renderer.reset()
        current = next.item
        upcoming.removeFirst()
        startTime = next.startTime
        rampsIn = false
        if rate > 0, let position = track.move(toStartOf: next.item) {
            track.trimToCursor()
            appendSegment(item: next.item, media: Double(position))
        } else if let info = infos[next.item] {
            track.removeAll()
            beginFirst(next.item, info)
        } else {
            // It is still being opened: it begins when it has been.
            track.removeAll()
            generation = 0
            isAwaitingFirstFeed = true
        }
        lastLevel = nil
        publishTimeline(changed: true)
    }

    // MARK: Seeking

    private func begin(_ request: SeekRequest) {
        cancelSeek(because: "A newer seek took the place of this one.")
        guard request.item == heardItem else {
            emit(.seekFailed(request.id, request.item, PlaybackError(.cancelled, "The item is not the current one.")))
            return
        }
        seek = PendingSeek(request: request, generation: beginGeneration())
        guard infos[request.item] != nil, !isAwaitingFirstFeed else { return }
        orderSeek()
    }

    /// Sends the pending seek to the feeder.
    private func orderSeek() {
        guard let pending = seek else { return }
        let (request, rate) = (pending.request, format.sampleRate)
        feeder.post(
            .feed(
                FeedOrder(
                    generation: pending.generation, item: request.item, position: max(0, FrameCount.frames(of: request.time, sampleRate: rate) ?? 0),
                    before: FrameCount.frames(of: request.toleranceBefore, sampleRate: rate) ?? 0,
                    after: FrameCount.frames(of: request.toleranceAfter, sampleRate: rate) ?? 0, format: format, isReverse: self.rate < 0)))
    }

    /// Sound from a position on is needed and not kept, or is needed in the other direction: the feeder reads it. A pending seek decides instead
    /// where there is one.
    func readAgain(_ item: ItemID, from position: Int64) {
        track.removeAll()
        if seek != nil {
            seek?.generation = beginGeneration()
            seek?.landed = nil
            orderSeek()
        } else {
            generation = beginGeneration()
            feeder.post(.feed(FeedOrder(generation: generation, item: item, position: max(0, position), format: format, isReverse: rate < 0)))
        }
    }

    /// Switches over to where a seek landed, once enough has been decoded there; until then the old sound goes on.
    func completeSeek() -> Bool {
        guard let pending = seek, let landed = pending.landed, isPrimed(pending.generation) else { return false }
        seek = nil
        withdraw()
        track.removeAll()
        generation = pending.generation
        timeline.segments.removeAll()
        renderer.reset()
        rampsIn = landed != 0
        timeline.landedSeek = pending.request.id
        current = pending.request.item
        _ = fill()
        publishTimeline(changed: true)
        _ = startIfReady()
        emit(.seekCompleted(pending.request.id, pending.request.item, landed: CMTime(value: landed, timescale: CMTimeScale(format.sampleRate))))
        return true
    }

    /// Whether enough of a generation waits; where not, the feeder will wake us.
    private func isPrimed(_ generation: Int) -> Bool {
        for _ in 0..<2 {
            if let ready = queue.readiness(generation: generation), ready.hasEnd || ready.frames >= primeFrames { return true }
            queue.consumerWaits()
        }
        return false
    }

    // MARK: Rate

    private func setRate(_ newRate: Double, _ newAlgorithm: PitchAlgorithm) {
        guard newRate != rate || newAlgorithm != algorithm, newRate != 0, newRate.isFinite else { return }
        let formerRate = effectiveRate
        let isAudibleChange = newAlgorithm != algorithm && abs(formerRate) != 1
        rate = newRate
        algorithm = newAlgorithm
        setQueueLimits()
        guard isAudibleChange || effectiveRate != formerRate, sink != nil, !timeline.segments.isEmpty else { return }
        renderAgain()
    }
}
