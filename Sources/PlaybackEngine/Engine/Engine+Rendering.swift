/// The engine's rendering: audio moves from the tape into the ring.
extension Engine {
    /// The maximum number of media frames that are stretched in one step. At high rates, a full ring needs a minute of media, and commands of the
    /// player would wait until this minute is stretched.
    private static let stretchedAtOnce = 1 << 16

    /// Renders decoded audio into the ring until the ring is full, until no decoded audio is available, or until the engine's step would take too
    /// long. Returns false if no audio was rendered or stretched and the timeline is unchanged.
    func fill() -> Bool {
        guard let ring = output.ring, output.isOpen, tape.writeEnd != nil, awaitedStart == nil else { return false }
        let before = ring.endFrame
        var changed = false
        var stretched = 0
        // While the device is held (`hold`), only 100 ms of audio are rendered in one step, because it takes no frames until the end of the step.
        var limit = output.heldStart.map { $0 + Int64(output.format.sampleRate / 10) } ?? .max
        // The ring and the device together contain less than four seconds of audio, so `leadFrames` is a limit only at high rates and for formats of
        // many bytes per second.
        if plan.leadFrames < 4 * output.format.sampleRate { limit = min(limit, timeline.heardFrame + Int64(plan.leadFrames)) }
        rendering: while ring.freeFrames > 0, ring.endFrame < limit {
            switch tape.next {
            case .start(let item, let position):
                if awaitsRate(of: item) {
                    if renderer.isStretching { guard renderer.drain(into: ring) else { break rendering } }
                    guard changeRateAtJoint() else { break rendering }
                    return true
                }
                output.noteJump(at: tape.mark)
                orders.clearResumePoint()
                open(item, media: Double(position))
                tape.skip()
                changed = true
            case .join(let item, let position, let isTurn):
                orders.clearResumePoint()
                timeline.begin(item, media: Double(position), rate: settings.effectiveRate, at: nextOutputFrame, isJoined: true, isTurn: isTurn)
                tape.skip()
                changed = true
            case .block(let item, _):
                guard prepareCrossfade(of: item) else { break rendering }
                guard case .block(_, let block)? = tape.next else { continue }
                prepareRenderer()
                renderer.setVolume(settings.isMuted ? 0 : settings.volume)
                let (consumed, produced) = renderer.render(block, from: tape.offset, gain: gain(of: item), into: ring)
                tape.consume(consumed)
                if consumed == 0, produced == 0 { break rendering }
                if renderer.isStretching { stretched += consumed }
                if stretched >= Self.stretchedAtOnce { break rendering }
            case .end(let item, _):
                if renderer.isStretching, !hasFollower(item) {
                    guard renderer.drain(into: ring) else { break rendering }
                }
                timeline.end(item, at: nextOutputFrame, reachesEndOfItem: true)
                tape.skip()
                changed = true
            case .broken(let item, let error):
                if renderer.isStretching { guard renderer.drain(into: ring) else { break rendering } }
                timeline.end(item, at: nextOutputFrame, reachesEndOfItem: false)
                tape.skip()
                changed = true
                facts.noteBroken(item, error)
            case nil: guard take() else { break rendering }
            }
        }
        drainIfNothingFollows(ring)
        let wrote = ring.endFrame > before
        let awaitsOutputRate = awaitsOutputRate
        let isAllThereIs = (tape.next == nil || awaitsOutputRate) && timeline.segments.last?.end != nil
        output.finish(isAllThereIs: isAllThereIs)
        if wrote { output.notifyDevice() }
        if isAllThereIs, awaitsOutputRate || timeline.segments.last.map({ !hasFollower($0.item) }) == true { output.notifyEnd() }
        if wrote || changed { publishTimeline(changed: changed) }
        orders.wakeIfHungry()
        reportClipping()
        trim()
        return wrote || changed || stretched > 0
    }

    private var awaitsOutputRate: Bool { if case .start(let item, _)? = tape.next { awaitsRate(of: item) } else { false } }

    /// Takes the next element from the tape's write end. Returns false if there is none. If the element is a block of audio or the turn of a loop,
    /// the tap of its item receives it too (`SampleTap`).
    func take() -> Bool {
        guard let element = tape.take() else { return false }
        switch element {
        case .block(let item, let block): facts.tap(of: item)?.deliver(block, format: output.format, isReverse: settings.isReverse)
        case .join(let item, _, isTurn: true): facts.tap(of: item)?.turn()
        default: break
        }
        return true
    }

    /// Renders the audio that remains in the stretcher at the end of an item, if no audio of a following item arrives in time. On the timeline, the
    /// remaining audio belongs to the item that has ended.
    private func drainIfNothingFollows(_ ring: RenderRing) {
        guard renderer.isStretching, tape.next == nil, let last = timeline.segments.last, last.end != nil else { return }
        let isAboutToRunDry = ring.endFrame - timeline.heardFrame < Int64(output.format.sampleRate / 5)
        if !hasFollower(last.item) || isAboutToRunDry { _ = renderer.drain(into: ring) }
    }

    /// Starts time stretching if the rate requires it.
    private func prepareRenderer() {
        guard let ring = output.ring else { return }
        let speed = abs(settings.effectiveRate)
        if speed != 1, !renderer.isStretching { renderer.stretch(by: settings.pitchAlgorithm, output.format, rate: speed, at: ring.endFrame) }
    }

    // MARK: Loudness

    /// Renders the frames again that can still be replaced, if a change of the loudness mode or of the headroom changes the level of rendered frames.
    func gainDidChange(from former: EngineSettings) {
        guard timeline.segments.contains(where: { facts.gain(of: $0.item, settings) != facts.gain(of: $0.item, former) }), output.isOpen else {
            return
        }
        output.expectGain()
        renderAgain()
    }

    /// Returns the factor by which every sample of an item is multiplied, by its loudness tags and the settings. A factor of exactly 1 does not
    /// change the samples.
    func gain(of item: ItemID) -> Float { facts.gain(of: item, settings) }

    /// Emits the number of frames over full scale that were rendered since the last report.
    private func reportClipping() {
        let count = renderer.takeClippedFrames()
        if count > 0 { emit(.clipped(frames: count)) }
    }

    // MARK: The timeline

    /// The number of the output frame at which the media frame that is rendered next will be heard.
    var nextOutputFrame: Int64 { renderer.nextOutputFrame ?? output.ring?.endFrame ?? timeline.value.written }

    /// Begins the audio of an item in the ring and on the timeline, at a media position in frames. The item's audio follows a jump, or is joined to
    /// the audio in the ring.
    func open(_ item: ItemID, media: Double) {
        output.beginItem()
        beginSegment(of: item, media: media)
    }

    func beginSegment(of item: ItemID, media: Double) { timeline.begin(item, media: media, rate: settings.effectiveRate, at: nextOutputFrame) }

    /// Discards the decoded audio that was heard more than 0.1 s ago (in reverse playback all rendered audio), and the segments of the timeline that
    /// were heard more than 1 s ago.
    private func trim() {
        guard !output.isHeld else { return }
        let (heard, sampleRate) = (timeline.heardFrame, Int64(output.format.sampleRate))
        timeline.trim(before: heard - sampleRate)
        guard !settings.isReverse, let segment = timeline.value.segment(at: heard) ?? timeline.segments.first else { return tape.trimToCursor() }
        let joins = timeline.segments.count { $0.isJoined && $0.start > heard }
        tape.trim(before: segment.item, position: Int64(segment.mediaFrame(at: heard)) - sampleRate / 10, joinsAhead: joins)
    }
}
