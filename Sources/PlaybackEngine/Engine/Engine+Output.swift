extension Engine {
    /// Frames that are decoded before sound starts or moves.
    var primeFrames: Int { Int(0.2 * Double(format.sampleRate) * max(1, abs(rate))) }

    func setQueueLimits() {
        let second = Double(format.sampleRate) * max(1, abs(rate))
        queue.setLimits(low: Int(0.75 * second), high: Int(2 * second))
    }

    func handle(_ event: AudioSinkEvent) {
        switch event {
        case .consumed, .underflow: break
        case .lost(let error): outputLost(error)
        case .changed(let description): emit(.outputChanged(description, isAudible: sink?.isAudible ?? false))
        }
    }

    // MARK: Opening

    /// The format nearest to a medium's own that every device and every part of the engine takes.
    private static func playable(_ wanted: AudioFormat) -> AudioFormat {
        AudioFormat(
            sampleRate: (4000...384_000).contains(wanted.sampleRate) ? wanted.sampleRate : 48_000,
            channelLayout: wanted.channelCount <= 8 ? wanted.channelLayout : .stereo)
    }

    /// Prepares the device for an item's own format where nothing of another format is in flight.
    func adopt(_ wanted: AudioFormat) {
        let playable = Self.playable(wanted)
        guard playable != format || sink == nil else { return }
        let base = ring?.writtenFrames ?? 0
        format = playable
        setQueueLimits()
        if sink != nil { reopen(at: base) } else { selectOutput(keepingCurrentAt: outputs.count) }
    }

    /// Moves to the best output that opens among those before index `limit` (all, where nothing is open), keeping the position.
    func selectOutput(keepingCurrentAt limit: Int) {
        var lastError: PlaybackError?
        for (index, provider) in outputs.enumerated() where index < limit {
            let candidate = provider.makeSink()
            candidate.setVolume(volume, isMuted: isMuted)
            if sink == nil {
                let base = ring?.writtenFrames ?? 0
                if let error = open(candidate, at: base) { lastError = error; continue }
                outputIndex = index
                adoptSink(candidate)
                if !timeline.segments.isEmpty { rewind(to: base) }
                return
            }
            // A live move: the old device gives back what it has not taken, the new one goes on from there.
            let taken = withdraw() ?? playbackClock.now().frame
            let old = sink
            if let error = open(candidate, at: taken) {
                lastError = error
                continue
            }
            old?.close()
            outputIndex = index
            adoptSink(candidate)
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

    private func adoptSink(_ candidate: any AudioSink) {
        sink = candidate
        isStarted = false
        playbackClock.publish(sink: candidate)
        publishTimeline(changed: false)
        emit(.outputChanged(candidate.description, isAudible: candidate.isAudible))
    }

    /// Opens a device whose first frame has number `base`.
    private func open(_ candidate: any AudioSink, at base: Int64) -> PlaybackError? {
        let source = RenderSource(minimumCapacity: format.sampleRate, channelCount: format.channelCount, base: base)
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
            adoptSink(old)
        }
    }

    /// The device is gone: go on with the next best from what was heard last.
    func outputLost(_ error: PlaybackError) {
        let heard = playbackClock.now().frame
        sink?.close()
        sink = nil
        isStarted = false
        playbackClock.publish(sink: nil)
        ring?.reset(to: heard)
        selectOutput(keepingCurrentAt: outputs.count)
    }

    // MARK: Running

    func stopDevice() {
        guard isStarted, let sink else { return }
        isStarted = false
        do throws(PlaybackError) { try sink.stop() } catch { outputLost(error) }
    }

    /// Starts the device where that is wanted and sound is ready.
    func startIfReady() -> Bool {
        guard wantsRunning, !isStarted, let sink, let ring, let last = timeline.segments.last else { return false }
        let ready = Int(ring.writtenFrames - playbackClock.now().frame)
        guard ready > 0, ready >= min(primeFrames, ring.capacity / 2) || last.end != nil else { return false }
        isStarted = true
        do throws(PlaybackError) { try sink.start() } catch { outputLost(error) }
        emit(.timelineChanged)
        return true
    }

    // MARK: Withdrawing

    /// Stops the device and takes back all that it has not taken. Returns the first frame's number, nil where no device is open.
    @discardableResult func withdraw() -> Int64? {
        guard let sink else { return nil }
        isStarted = false
        do throws(PlaybackError) {
            let taken = try sink.flush()
            return taken
        } catch {
            outputLost(error)
            return nil
        }
    }

    /// Withdraws what the device has not taken and renders it again, at the present rate.
    func renderAgain() {
        guard let taken = withdraw() else { return }
        rewind(to: taken)
        _ = fill()
        publishTimeline(changed: true)
        _ = startIfReady()
    }

    /// Puts rendering back to output frame `taken`: nothing behind it has been or will be heard as it was rendered.
    func rewind(to taken: Int64) {
        ring?.reset(to: taken)
        renderer.reset()
        guard let segment = timeline.segment(at: taken) else {
            timeline.segments.removeAll()
            publishTimeline(changed: true)
            return
        }
        timeline.segments.removeAll { $0.start >= taken && $0 != segment }
        let index = timeline.segments.count - 1
        if let end = segment.end, end <= taken {
            // Between items: the next start follows; backwards, the item that has ended comes again.
            if rate > 0 { track.move(behindEndOf: segment.item) } else { readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded())) }
        } else {
            let media = segment.mediaFrame(at: taken).rounded()
            if segment.start == taken {
                timeline.segments.removeLast()
            } else {
                timeline.segments[index].end = taken
                timeline.segments[index].reachesEndOfItem = false
            }
            // Sound is kept forwards only.
            if rate > 0, segment.rate > 0, track.rewind(to: segment.item, position: Int64(media)) {
                appendSegment(item: segment.item, media: media)
            } else {
                // The position stays known while the feeder reads.
                if timeline.segments.isEmpty {
                    timeline.segments = [Timeline.Segment(start: taken, item: segment.item, mediaStart: media, rate: effectiveRate, end: taken)]
                }
                readAgain(segment.item, from: Int64(media))
            }
        }
        publishTimeline(changed: true)
    }
}
