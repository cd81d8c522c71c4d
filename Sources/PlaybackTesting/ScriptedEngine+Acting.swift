public import CoreMedia
import Platform
import PlaybackEngine
import Synchronization

/// The acts of an ideal engine: it opens media and renders in no time, the current item and the upcoming items up to the first that is not open.
extension ScriptedEngine {
    func perform(_ command: EngineCommand) {
        switch command {
        case .load(let request):
            state.withLock { state in
                state.current = request
                state.upcoming = []
                state.heldSeek = nil
            }
            withdraw(keeping: nil)
            emit(.timelineChanged)
            beginOpening(request)
        case .unload:
            state.withLock { state in
                state.current = nil
                state.upcoming = []
                state.heldSeek = nil
            }
            withdraw(keeping: nil)
            emit(.timelineChanged)
        case .setUpcoming(let requests, _):
            let heard = clock.now().item
            state.withLock { state in
                if let joined = state.upcoming.first(where: { $0.item == heard }) { state.current = joined }
                state.upcoming = requests
                if let at = requests.firstIndex(where: { $0.item == heard }) { state.upcoming.removeFirst(at + 1) }
            }
            for request in requests { beginOpening(request) }
            join()
        case .advance:
            let next = state.withLock { state -> LoadRequest? in
                state.current = state.upcoming.isEmpty ? nil : state.upcoming.removeFirst()
                return state.current
            }
            withdraw(keeping: nil)
            emit(.timelineChanged)
            if let next, state.withLock({ $0.opened.contains(next.item) }) { render(next, from: next.startTime) }
        case .seek(let request):
            let isHeld = state.withLock { state in
                state.heldSeek = request
                return state.holdsSeeks
            }
            if !isHeld { completeSeek() }
        case .configure(let settings):
            let isNew = state.withLock { state in
                defer { state.rate = settings.rate }
                return state.rate != settings.rate
            }
            if isNew { renderAgain() }
        case .setLoop(let loop, let item):
            state.withLock { state in if state.current?.item == item { state.current?.loop = loop } }
            renderAgain()
        case .setRunning(let isRunning):
            let now = hostClock.now
            let heard = clock.now().frame
            sink.playhead = Playhead(frame: heard, hostTime: isRunning ? now + startLatency : now, isRunning: isRunning)
            if isRunning { emit(.timelineChanged) }
        case .openOutput, .awaitStart, .meetStart: break
        }
    }

    private func medium(_ request: LoadRequest) -> ScriptedMedium? { state.withLock { $0.media[request.source.name] } }

    private func beginOpening(_ request: LoadRequest) {
        guard medium(request)?.isHeld != true else { return }
        finishOpening(request)
    }

    private func finishOpening(_ request: LoadRequest) {
        guard state.withLock({ !$0.opened.contains(request.item) && !$0.failed.contains(request.item) }) else {
            if state.withLock({ $0.current?.item == request.item }) { render(request, from: request.startTime) }
            return
        }
        guard let medium = medium(request), medium.failure == nil else {
            state.withLock { _ = $0.failed.insert(request.item) }
            return emit(.failed(request.item, medium(request)?.failure ?? PlaybackError(.fileNotFound, "There is no such file.")))
        }
        state.withLock { _ = $0.opened.insert(request.item) }
        emit(.opened(request.item, medium.info))
        if state.withLock({ $0.current?.item == request.item }) { render(request, from: request.startTime) } else { join() }
    }

    /// Completes the opening of a medium that `isHeld` delays.
    public func open(_ path: String) {
        let requests = state.withLock { state -> [LoadRequest] in
            state.media[path]?.isHeld = false
            return ([state.current].compactMap { $0 } + state.upcoming)
        }
        for request in requests where request.source.name == path { finishOpening(request) }
    }

    /// Completes the seek that waits, at its target or at `landed`.
    public func completeSeek(landed: CMTime? = nil) {
        guard let request = takeSeek(), let current = state.withLock({ $0.current }) else { return }
        let target = landed ?? request.time
        // The item of the seek may be an upcoming one, which is rendered after the current item.
        let load = state.withLock { state in request.item == current.item ? current : state.upcoming.first { $0.item == request.item } } ?? current
        state.withLock { $0.timeline.landedSeek = request.id }
        withdraw(keeping: nil)
        let written = state.withLock { $0.timeline.written }
        render(load, from: target)
        // Each pass through a loop is a segment; the event has the start of the earliest one.
        let start = state.withLock { state in state.timeline.segments.first { $0.item == request.item && $0.start >= written }?.start }
        emit(.seekCompleted(request.id, request.item, landed: CMTime(value: frame(of: target), timescale: 1_000), frame: start))
    }

    public func failSeek() {
        guard let request = takeSeek() else { return }
        emit(.seekFailed(request.id, request.item, PlaybackError(.notSeekable, "The medium does not support seeking.")))
    }

    private func takeSeek() -> SeekRequest? {
        state.withLock { state in
            defer { state.heldSeek = nil }
            return state.heldSeek
        }
    }

    private func frame(of time: CMTime) -> Int64 { time.isNumeric ? Int64((time.seconds * 1_000).rounded()) : 0 }

    // MARK: The timeline

    /// Withdraws the audio that was not heard, and removes heard segments of other items.
    private func withdraw(keeping item: ItemID?) {
        let heard = clock.now().frame
        let running = sink.playhead.isRunning
        state.withLock { state in
            state.timeline.segments.removeAll { $0.start >= heard || $0.item != item }
            for index in state.timeline.segments.indices where state.timeline.segments[index].end ?? Int64.max > heard {
                state.timeline.segments[index].end = heard
                state.timeline.segments[index].reachesEndOfItem = false
            }
            state.timeline.written = heard
        }
        sink.playhead = Playhead(frame: heard, hostTime: hostClock.now, isRunning: running)
        clock.publish(timeline)
    }

    private func append(_ request: LoadRequest, from media: Int64) {
        guard let medium = medium(request) else { return }
        state.withLock { state in
            let start = state.timeline.written
            var endFrame = medium.frames
            if request.forwardEndTime.isNumeric { endFrame = min(endFrame, Int64((request.forwardEndTime.seconds * 1_000).rounded())) }
            let isForward = state.rate > 0
            // R-TURN-03: playback that begins after the end of the loop does not repeat the loop.
            if isForward, let loop = request.loop, media < frame(of: loop.end) {
                return appendTurns(of: loop, request.item, from: media, to: &state.timeline, state.rate)
            }
            let reverseEnd = request.reverseEndTime.isNumeric ? Int64((request.reverseEndTime.seconds * 1_000).rounded()) : 0
            let distance = Double(max(0, isForward ? endFrame - media : media - reverseEnd))
            let end = start + Int64((distance / abs(state.rate)).rounded(.up))
            state.timeline.segments.append(
                Timeline.Segment(start: start, item: request.item, mediaStart: Double(media), rate: state.rate, end: end, reachesEndOfItem: true))
            state.timeline.written = end
        }
    }

    private static let turnCount = 200

    private func appendTurns(of loop: LoopRange, _ item: ItemID, from media: Int64, to timeline: inout Timeline, _ rate: Double) {
        var position = media
        for turn in 0..<Self.turnCount {
            let end = timeline.written + Int64((Double(max(0, frame(of: loop.end) - position)) / rate).rounded(.up))
            timeline.segments.append(
                Timeline.Segment(start: timeline.written, item: item, mediaStart: Double(position), rate: rate, end: end, isJoined: turn > 0))
            timeline.written = end
            position = frame(of: loop.start)
        }
    }

    /// Renders the item from `time` on, and in forward playback also the upcoming items up to the first that is not open. Emits `timelineChanged` and
    /// `bufferChanged`. The caller has withdrawn replaced audio before.
    private func render(_ request: LoadRequest, from time: CMTime) {
        append(request, from: frame(of: time))
        joinWithoutEvent()
        clock.publish(timeline)
        emit(.timelineChanged)
        reportFull(request.item)
    }

    private func reportFull(_ item: ItemID) {
        let (heard, isReverse) = (clock.now(), state.withLock { $0.rate < 0 })
        let end = heard.item == item ? heard.time + CMTime(value: isReverse ? -60 : 60, timescale: 1) : nil
        emit(.bufferChanged(item, BufferLevel(seconds: 60, end: end, isEmpty: false, isFull: true, isLikelyToKeepUp: true)))
    }

    /// Renders the upcoming items after the heard one, and removes those that are no longer upcoming.
    private func join() {
        guard let heard = clock.now().item else { return }
        let last = state.withLock { state in state.timeline.segments.last { $0.item == heard } }
        guard let last, last.reachesEndOfItem, let end = last.end else { return }
        state.withLock { state in
            state.timeline.segments.removeAll { $0.start >= end && $0.item != heard }
            state.timeline.written = end
        }
        joinWithoutEvent()
        clock.publish(timeline)
        emit(.timelineChanged)
        reportFull(heard)
    }

    private func joinWithoutEvent() {
        // In backward playback, no item follows.
        let (upcoming, opened) = state.withLock { ($0.rate > 0 ? $0.upcoming : [], $0.opened) }
        for request in upcoming {
            guard opened.contains(request.item) else { return }
            append(request, from: frame(of: request.startTime))
        }
    }

    /// Renders again, at the present rate, the audio that was not heard.
    private func renderAgain() {
        let instant = clock.now()
        let request = state.withLock { state in ([state.current].compactMap { $0 } + state.upcoming).first { $0.item == instant.item } }
        guard let request, !timeline.segments.isEmpty else { return }
        withdraw(keeping: request.item)
        append(request, from: frame(of: instant.time))
        joinWithoutEvent()
        clock.publish(timeline)
        emit(.timelineChanged)
    }
}
