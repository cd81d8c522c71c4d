import Platform

/// The start of playback at a host time (`StartTime`).
///
/// Until the host time of the start is near, only silence is rendered, so that no audio has to be withdrawn from the device. A seek, another item or
/// another output cancels the wait for the host time: playback then continues at once.
extension Engine {
    func awaitStart(at host: HostTime) {
        guard !wantsRunning, !settings.isReverse, output.isOpen, output.fadeEnd == nil, !timeline.segments.isEmpty, orders.seek == nil else {
            return
        }
        guard let taken = withdraw() else { return }
        output.rewind(to: taken)
        renderer.reset()
        guard let segment = timeline.rewind(to: taken), segment.end.map({ $0 > taken }) ?? true else { return rewind(to: taken) }
        let media = segment.mediaFrame(at: max(taken, segment.start)).rounded()
        guard segment.rate > 0, tape.rewind(to: segment.item, position: Int64(media)) else {
            readAgain(segment.item, from: Int64(media))
            return publishTimeline(changed: true)
        }
        timeline.rest(on: segment.item, media: media, rate: settings.effectiveRate, at: taken)
        setAwaitedStart(AwaitedStart(host: host, item: segment.item, media: media))
        laySilence(frames(host - timeline.clock.now().hostTime - StartTime.reserve))
        output.finish(isAllThereIs: true)
        output.notifyDevice()
        publishTimeline(changed: true)
    }

    /// Completes the silence before the host time for which playback waits, and renders the audio after it. The number of silent frames follows from
    /// the clock of the device, so that the audio is heard at the host time. Does nothing if no start waits. The command `meetStart` arrives
    /// `StartTime.measuringTime` (0.25 s) before the host time.
    func meetStart() {
        guard let start = awaitedStart, let ring = output.ring else { return }
        let end = ring.endFrame
        // A device that does not run has no clock yet: its next frame is assumed to be heard as soon as the device starts.
        let unheard = Double(end - timeline.heardFrame) / Double(output.format.sampleRate)
        let due = timeline.clock.hostTime(ofFrame: end) ?? timeline.clock.now().hostTime + unheard
        laySilence(frames(start.host - due))
        begin(start)
        _ = fill()
        _ = startIfReady()
    }

    /// Cancels the wait for a start at a host time, because playback was paused. Audio replaces the silence in the ring.
    func abandonStart() {
        if awaitedStart != nil { renderAgain() }
    }

    /// Ends the wait for the host time of `start`, so that the audio of `start` is rendered after the frames that the ring contains.
    func begin(_ start: AwaitedStart) {
        setAwaitedStart(nil)
        guard !settings.isReverse, tape.rewind(to: start.item, position: Int64(start.media)) else {
            return readAgain(start.item, from: Int64(start.media))
        }
        // At the start of an item, the audio is unchanged from the first frame on. Inside an item, the first frames fade in.
        if start.media > 0 { output.beginAgain(afterSilence: true) }
        beginSegment(of: start.item, media: start.media)
        publishTimeline(changed: true)
    }

    private func laySilence(_ count: Int) {
        if let ring = output.ring { ring.reserve(min(count, ring.freeFrames)) }
    }

    private func frames(_ seconds: Double) -> Int { max(0, Int((seconds * Double(output.format.sampleRate)).rounded())) }
}
