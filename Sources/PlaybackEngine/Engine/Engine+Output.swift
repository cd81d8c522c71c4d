extension Engine {
    /// Frames that are decoded before sound starts or moves.
    var primeFrames: Int { min(Int(0.2 * mediaSecond), Self.primeBudget / frameSize) }

    /// The media frames that a second of sound takes at the present rate; at slow rates, those of a second at rate 1.
    private var mediaSecond: Double { Double(format.sampleRate) * max(1, abs(settings.rate)) }
    /// Bytes.
    private var frameSize: Int { format.channelCount * MemoryLayout<Float>.stride }

    // Decoded sound is bounded by bytes too: 8 channels of 384 kHz, at rate 32, are 400 MB for each second that is heard.

    /// What is decoded before sound starts or moves, bytes.
    private static let primeBudget = 8 << 20
    /// What the feeder reads ahead of the engine, bytes: the less, the larger the ring is.
    private var queueBudget: Int { (36 << 20) - 2 * min(format.sampleRate * 3 / 2 * frameSize, Self.ringBudget) - 2 * (4 << 20) }
    /// What is kept from the frame that is heard to the last one that was rendered, bytes.
    static let leadBudget = 12 << 20
    /// The ring between the engine and the device, bytes, without what a device may give back.
    private static let ringBudget = 8 << 20

    func setQueueLimits() {
        let high = min(max(2 * mediaSecond, settings.forwardBuffer * Double(format.sampleRate)), Double(queueBudget / frameSize))
        queue.setLimits(low: Int(0.375 * high), high: Int(high))
    }

    /// How many frames of output may be ahead of the one that is heard.
    var leadFrames: Int { Int(Double(Self.leadBudget / frameSize) / max(1, abs(settings.effectiveRate))) }

    func handle(_ event: AudioSinkEvent) {
        switch event {
        case .consumed: break
        case .underflow:
            // At the end of everything, and behind a fade, there is to be silence.
            if wantsRunning, !isHeld, fadingUntil == nil, let last = timeline.segments.last, last.end == nil { emit(.underran) }
            deviceRanDry()
        case .lost(let error): outputLost(error)
        case .corrected: emit(.timelineChanged)
        case .changed(let description, let wasRemoved):
            emit(.outputChanged(description, isAudible: sink?.isAudible ?? false, by: wasRemoved ? .removed : .moved))
        case .signal(let signal): emit(.streamSignal(signal))
        }
    }

    // MARK: Opening

    /// The format nearest to a medium's own that every part of the engine takes and the device has speakers for: channels that it has none for are
    /// mixed down here, in proportion, and not by a sound server, which may leave next to nothing of them. To one channel a server mixes well, and does
    /// so no longer when the stream is moved to a better device.
    private func playable(_ wanted: AudioFormat) -> AudioFormat {
        var layout = wanted.channelCount <= 8 ? wanted.channelLayout : .stereo
        if let speakers = sink?.speakers, speakers.count >= 2, speakers.count < layout.count {
            // Nothing can be mixed for a room without a front.
            layout = speakers.hasFront ? speakers : ChannelLayout(count: speakers.count)
        }
        return AudioFormat(sampleRate: (4000...384_000).contains(wanted.sampleRate) ? wanted.sampleRate : 48_000, channelLayout: layout)
    }

    /// Prepares the device for an item's own format where nothing of another format is in flight.
    func adopt(_ wanted: AudioFormat) {
        var chosen = playable(wanted)
        guard chosen != format || sink == nil else { return }
        let base = ring?.writtenFrames ?? 0
        format = chosen
        setQueueLimits()
        if sink != nil { reopen(at: base) } else { selectOutput(keepingCurrentAt: outputs.count, by: .opened) }
        // Only an open device is known.
        chosen = playable(wanted)
        guard sink != nil, chosen != format else { return }
        format = chosen
        setQueueLimits()
        reopen(at: base)
    }

    /// Moves to the best output that opens among those before index `limit` (all, where nothing is open), keeping the position.
    func selectOutput(keepingCurrentAt limit: Int, by cause: OutputChangeCause) {
        var lastError: PlaybackError?
        for (index, provider) in outputs.enumerated() where index < limit {
            let candidate = provider.makeSink()
            candidate.setVolume(settings.volume, isMuted: settings.isMuted)
            candidate.setRole(settings.role)
            if sink == nil {
                let base = ring?.writtenFrames ?? 0
                if let error = open(candidate, at: base) { lastError = error; continue }
                outputIndex = index
                adoptSink(candidate, by: cause)
                if !timeline.segments.isEmpty { rewind(to: base) }
                return
            }
            // A live move: the old device gives back what it has not taken, the new one goes on from there.
            let taken = withdrawStopping() ?? playbackClock.now().frame
            let old = sink
            if let error = open(candidate, at: taken) {
                lastError = error
                continue
            }
            old?.close()
            outputIndex = index
            adoptSink(candidate, by: cause)
            rewind(to: taken)
            return
        }
        if sink == nil, limit > 0 {
            emit(.outputFailed(lastError ?? PlaybackError(.outputUnavailable, "There is no sound output.")))
        } else if sink != nil, lastError != nil, let ring {
            // The better output did not open: go on with the one there is.
            rewind(to: ring.writtenFrames)
        }
    }

    private func adoptSink(_ candidate: any AudioSink, by cause: OutputChangeCause) {
        sink = candidate
        isStarted = false
        playbackClock.publish(sink: candidate)
        publishTimeline(changed: false)
        emit(.outputChanged(candidate.description, isAudible: candidate.isAudible, by: cause))
    }

    /// Opens a device whose first frame has number `base`.
    private func open(_ candidate: any AudioSink, at base: Int64) -> PlaybackError? {
        // A second and a half ahead of the device, or 8 MiB of it, and behind that what a device may give back: the 2 s that it holds, or 4 MiB of them.
        let history = min(format.sampleRate * 9 / 4, (4 << 20) / (format.channelCount * MemoryLayout<Float>.stride))
        let capacity = min(format.sampleRate * 3 / 2, Self.ringBudget / frameSize)
        let source = RenderSource(minimumCapacity: capacity, history: history, channelCount: format.channelCount, base: base)
        lastOpening += 1
        let number = lastOpening
        do throws(PlaybackError) {
            try candidate.open(format, source: source, base: base) { [sinkEvents, wake] event in
                if case .consumed = event { wake() } else { sinkEvents.post(SinkEvent(opening: number, event: event)) }
            }
        } catch {
            candidate.close()
            return error
        }
        opening = number
        if renderer.channelCount != format.channelCount { renderer = Renderer(channelCount: format.channelCount) }
        forgetSplice()
        ring = source
        timeline.written = base
        return nil
    }

    /// Closes the device and opens it again in the present format.
    private func reopen(at base: Int64) {
        guard let old = sink else { return }
        old.close()
        isStarted = false
        if let error = open(old, at: base) {
            sink = nil
            playbackClock.publish(sink: nil)
            outputLost(error)
        } else {
            adoptSink(old, by: .opened)
        }
    }

    /// The device is gone: go on with the next best from what was heard last.
    func outputLost(_ error: PlaybackError) {
        let heard = playbackClock.now().frame
        sink?.close()
        sink = nil
        isStarted = false
        forgetSplice()
        playbackClock.publish(sink: nil)
        ring?.reset(to: heard)
        selectOutput(keepingCurrentAt: outputs.count, by: .lost)
    }

    // MARK: Running

    func stopDevice() {
        guard isStarted, let sink else { return }
        isStarted = false
        do throws(PlaybackError) { try sink.stop() } catch { outputLost(error) }
    }

    /// Starts the device where that is wanted and sound is ready.
    func startIfReady() -> Bool {
        guard wantsRunning, !isStarted || fadingUntil != nil, joint == nil, let sink, let ring, let last = timeline.segments.last else {
            return false
        }
        let ready = Int(ring.endFrame - (fadingUntil ?? playbackClock.now().frame))
        guard ready > 0, ready >= min(primeFrames, ring.capacity / 2, leadFrames / 2) || last.end != nil else { return false }
        fadingUntil = nil
        beginsFaded = false
        publishFrames()
        if isStarted {
            sink.sourceDidFill()
        } else {
            isStarted = true
            do throws(PlaybackError) { try sink.start() } catch { outputLost(error) }
        }
        publishTimeline(changed: true)
        return true
    }

    // MARK: Withdrawing

    /// Withdraws what the device has not taken and renders it again, at the present rate.
    func renderAgain() {
        guard let taken = withdraw() else { return }
        splice?.kind = .again(timeline)
        rewind(to: taken)
        _ = fill()
        settle()
        publishTimeline(changed: true)
        _ = startIfReady()
    }

    /// Puts rendering back to output frame `taken`: nothing behind it has been or will be heard as it was rendered.
    func rewind(to taken: Int64) {
        // A device that plays on has not rendered all of what is before it.
        if let ring, ring.endFrame != taken { ring.reset(to: taken) }
        renderer.reset()
        // A place before all of them is one before a jump has been heard: the sound begins with the first.
        guard let segment = stretch(soundingFrom: taken) else { return publishTimeline(changed: true) }
        timeline.segments.removeAll { $0.start >= taken && $0 != segment }
        let index = timeline.segments.count - 1
        if let end = segment.end, end <= taken {
            // Sound that has been asked for and has not come is asked for in the present direction. Between items the next start follows; backwards,
            // the item that has ended comes again.
            if let goesOnAt {
                readAgain(goesOnAt.item, from: goesOnAt.position)
            } else if !settings.isReverse {
                track.move(behindEndOf: segment.item)
            } else {
                readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
            }
        } else {
            let media = segment.mediaFrame(at: max(taken, segment.start)).rounded()
            if segment.start >= taken {
                timeline.segments.removeLast()
            } else {
                timeline.segments[index].end = taken
                timeline.segments[index].reachesEndOfItem = false
            }
            // Sound is kept forwards only.
            if !settings.isReverse, segment.rate > 0, track.rewind(to: segment.item, position: Int64(media)) {
                beginAgain()
                appendSegment(item: segment.item, media: media)
            } else {
                // The position stays known while the feeder reads.
                if timeline.segments.isEmpty {
                    timeline.segments = [
                        Timeline.Segment(start: taken, item: segment.item, mediaStart: media, rate: settings.effectiveRate, end: taken)
                    ]
                }
                readAgain(segment.item, from: Int64(media))
            }
        }
        publishTimeline(changed: true)
    }

    /// The stretch whose sound is due at output frame `taken`.
    ///
    /// That is the one the frame lies in; but in the lead-in of a jump it is the one that the jump begins, also where one that was cut short for it, of
    /// the same item, is still remembered.
    private func stretch(soundingFrom taken: Int64) -> Timeline.Segment? {
        guard let before = timeline.segment(at: taken) else { return timeline.segments.first }
        guard let end = before.end, end <= taken, let next = timeline.segments.first(where: { $0.start > taken }), next.item == before.item else {
            return before
        }
        return next
    }
}
