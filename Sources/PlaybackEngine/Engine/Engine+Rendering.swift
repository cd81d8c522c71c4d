/// From the queue by way of the track into the ring.
extension Engine {
    /// Media frames that are stretched in one go, at most: at high rates a full ring is a minute of them, and commands wait for it.
    private static let stretchedAtOnce = 1 << 16

    /// Renders into the ring as far as there is space and audio, or less if that takes long. False if nothing was done.
    func fill() -> Bool {
        guard let ring = output.ring, output.isOpen, reading.generation != 0 else { return false }
        let before = ring.endFrame
        var changed = false
        var stretched = 0
        // A device that is held waits: it gets what is needed at once, and the rest right after.
        var limit = output.heldStart.map { $0 + Int64(output.format.sampleRate / 10) } ?? .max
        // Ring and device together hold less than four seconds: only sound of many bytes meets this limit.
        if plan.leadFrames < 4 * output.format.sampleRate { limit = min(limit, timeline.heardFrame + Int64(plan.leadFrames)) }
        rendering: while ring.freeFrames > 0, ring.endFrame < limit {
            if track.next == nil {
                guard let piece = reading.next() else { break }
                if case .truncate(let item) = piece { cut(after: item) } else { append(piece) }
                continue
            }
            switch track.next {
            case .start(let item, let position):
                output.noteJump(at: track.mark)
                reading.clearResumePoint()
                open(item, media: Double(position))
                track.skip()
                changed = true
            case .block(let item, _):
                guard prepareCrossfade(of: item), case .block(_, let block)? = track.next else {
                    if case .block? = track.next { break rendering }
                    continue
                }
                prepareRenderer()
                let (consumed, produced) = renderer.render(block, from: track.offset, gain: gain(of: item), into: ring)
                track.consume(consumed)
                if consumed == 0, produced == 0 { break rendering }
                if renderer.isStretching { stretched += consumed }
                if stretched >= Self.stretchedAtOnce { break rendering }
            case .end(let item, _):
                if renderer.isStretching, !hasFollower(item) {
                    guard renderer.drain(into: ring) else { break rendering }
                }
                timeline.end(item, at: nextOutputFrame, reachesEndOfItem: true)
                track.skip()
                changed = true
            case .broken(let item, let error):
                if renderer.isStretching { guard renderer.drain(into: ring) else { break rendering } }
                timeline.end(item, at: nextOutputFrame, reachesEndOfItem: false)
                track.skip()
                changed = true
                emit(.failed(item, error))
            case .truncate, nil: break rendering
            }
        }
        drainIfNothingFollows(ring)
        let wrote = ring.endFrame > before
        output.finish(isAllThereIs: track.next == nil && timeline.segments.last?.end != nil)
        if wrote { output.notifyDevice() }
        if wrote || changed { publishTimeline(changed: changed) }
        reading.wakeIfHungry()
        trim()
        return wrote || changed || stretched > 0
    }

    /// Puts an element on the track and hands its audio to the tap of its item.
    func append(_ piece: FeedElement) {
        track.append(piece)
        if case .block(let item, let block) = piece { facts.tap(of: item)?.deliver(block, format: output.format, isReverse: settings.isReverse) }
    }

    /// Completes an item that nothing follows, or not in time: the rest in the stretcher belongs to it.
    private func drainIfNothingFollows(_ ring: RenderSource) {
        guard renderer.isStretching, track.next == nil, let last = timeline.segments.last, last.end != nil else { return }
        let isAboutToRunDry = ring.endFrame - timeline.heardFrame < Int64(output.format.sampleRate / 5)
        if !hasFollower(last.item) || isAboutToRunDry { _ = renderer.drain(into: ring) }
    }

    /// Begins to stretch, if the rate asks for it.
    private func prepareRenderer() {
        guard let ring = output.ring else { return }
        let speed = abs(settings.effectiveRate)
        if speed != 1, !renderer.isStretching { renderer.stretch(by: settings.pitchAlgorithm, output.format, rate: speed, at: ring.endFrame) }
    }

    // MARK: Loudness

    /// Renders again what the device has not taken, if the change is audible.
    func loudnessDidChange(from former: LoudnessMode) {
        guard timeline.segments.contains(where: { facts.differs($0.item, settings.loudness, from: former) }), output.isOpen else { return }
        renderAgain()
    }

    /// The factor for every sample of an item: exactly 1 if nothing is to change.
    func gain(of item: ItemID) -> Float { facts.gain(of: item, settings.loudness) }

    // MARK: The timeline

    /// The output frame that the next media frame given to the renderer becomes.
    private var nextOutputFrame: Int64 { renderer.nextOutputFrame ?? output.ring?.endFrame ?? timeline.value.written }

    /// Begins the audio of an item, after a jump or joined to what is in the ring.
    func open(_ item: ItemID, media: Double) {
        output.beginItem()
        beginSegment(of: item, media: media)
    }

    func beginSegment(of item: ItemID, media: Double) { timeline.begin(item, media: media, rate: settings.effectiveRate, at: nextOutputFrame) }

    /// Discards what has been heard.
    private func trim() {
        guard !output.isHeld else { return }
        let (heard, sampleRate) = (timeline.heardFrame, Int64(output.format.sampleRate))
        timeline.trim(before: heard - sampleRate)
        guard !settings.isReverse, let segment = timeline.value.segment(at: heard) ?? timeline.segments.first else { return track.trimToCursor() }
        track.trim(before: segment.item, position: Int64(segment.mediaFrame(at: heard)) - sampleRate / 10)
    }
}
