extension Engine {
    /// Media frames that are stretched in one go, at most: at high rates a full ring is a minute of them, and commands wait for it.
    private static let stretchedAtOnce = 1 << 16

    /// Renders into the ring as far as there is room and sound, or in part where that takes long; false where nothing was done.
    func fill() -> Bool {
        guard let ring = output.ring, output.isOpen, reading.generation != 0 else { return false }
        let before = ring.endFrame
        var changed = false
        var stretched = 0
        // A device that is held waits: it gets what is needed at once, and the rest right after.
        var limit = output.heldStart.map { $0 + Int64(output.format.sampleRate / 10) } ?? .max
        // Ring and device together hold less than four seconds: only sound of many bytes meets this limit.
        if plan.leadFrames < 4 * output.format.sampleRate { limit = min(limit, playbackClock.now().frame + Int64(plan.leadFrames)) }
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
                renderer.gain = gain(of: item)
                let (consumed, produced) = renderer.render(block, from: track.offset, into: ring)
                track.consume(consumed)
                if consumed == 0, produced == 0 { break rendering }
                if renderer.isStretching { stretched += consumed }
                if stretched >= Self.stretchedAtOnce { break rendering }
            case .end(let item, _):
                if renderer.isStretching, !hasFollower(item) {
                    guard renderer.drain(into: ring) else { break rendering }
                }
                closeSegment(of: item, reachesEnd: true)
                track.skip()
                changed = true
            case .broken(let item, let error):
                if renderer.isStretching { guard renderer.drain(into: ring) else { break rendering } }
                closeSegment(of: item, reachesEnd: false)
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

    /// Puts what was read on the track; who listens to its item gets it.
    func append(_ piece: FeedElement) {
        track.append(piece)
        if case .block(let item, let block) = piece { facts.tap(of: item)?.deliver(block, format: output.format, isReverse: settings.isReverse) }
    }

    /// An item has ended and nothing joins it, or not in time: what the stretcher holds belongs to it.
    private func drainIfNothingFollows(_ ring: RenderSource) {
        guard renderer.isStretching, track.next == nil, let last = timeline.segments.last, last.end != nil else { return }
        let isAboutToRunDry = ring.endFrame - playbackClock.now().frame < Int64(output.format.sampleRate / 5)
        if !hasFollower(last.item) || isAboutToRunDry { _ = renderer.drain(into: ring) }
    }

    private func prepareRenderer() {
        guard let ring = output.ring else { return }
        let speed = abs(settings.effectiveRate)
        if speed != 1, !renderer.isStretching {
            renderer.stretch(with: makePitch(settings.pitchAlgorithm.renderer(for: speed), output.format), rate: speed, at: ring.endFrame)
        }
    }

    func hasFollower(_ item: ItemID) -> Bool {
        guard !settings.isReverse, let last = upcoming.last else { return false }
        return last.item != item
    }

    // MARK: The timeline

    /// The output frame that the next media frame to be given to the renderer will become.
    private var nextOutputFrame: Int64 { renderer.nextOutputFrame ?? output.ring?.endFrame ?? timeline.written }

    /// Begins a stretch of an item, after a jump or joined to what there is.
    func open(_ item: ItemID, media: Double) {
        output.beginItem()
        appendSegment(item: item, media: media)
    }

    func appendSegment(item: ItemID, media: Double) {
        let start = nextOutputFrame
        if let last = timeline.segments.indices.last, timeline.segments[last].end == nil { timeline.segments[last].end = start }
        timeline.segments.append(Timeline.Segment(start: start, item: item, mediaStart: media, rate: settings.effectiveRate))
    }

    private func closeSegment(of item: ItemID, reachesEnd: Bool) {
        guard let last = timeline.segments.indices.last, timeline.segments[last].item == item else { return }
        timeline.segments[last].end = nextOutputFrame
        timeline.segments[last].reachesEndOfItem = reachesEnd
    }

    /// What follows an item is void. Where some of it has been rendered, that is withdrawn.
    func cut(after item: ItemID) {
        uncrossed = nil
        guard track.truncate(after: item) else { return }
        if heardItem == item || timeline.segments.contains(where: { $0.item == item }) { renderAgain() }
    }

    /// Forgets what has been heard.
    private func trim() {
        guard !output.isHeld else { return }
        let heard = playbackClock.now().frame
        while timeline.segments.count > 1, timeline.segments[1].start <= heard - Int64(output.format.sampleRate) { timeline.segments.removeFirst() }
        guard !settings.isReverse, let segment = timeline.segment(at: heard) ?? timeline.segments.first else { return track.trimToCursor() }
        track.trim(before: segment.item, position: Int64(segment.mediaFrame(at: heard)) - Int64(output.format.sampleRate / 10))
    }
}
