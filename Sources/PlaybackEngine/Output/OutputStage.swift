/// The open device, its ring, and the transitions between old and new audio in the ring. The engine's thread owns the `OutputStage`.
///
/// If audio in the ring is replaced, the old audio fades out over 5 ms and the new audio fades in, without a click, in one of three ways:
///
/// A **jump** (a seek, another item, another direction) has a lead-in: the first 5 ms of the new audio, mirrored about its first frame, fade in while
/// the old audio fades out; from the requested frame on it is unchanged. Mirrored, because then nothing before that frame is heard, and no step is
/// larger than in the new audio. The position stays at the requested frame until it is heard. A jump to the start of an item has no lead-in: the item
/// begins after the fade-out.
///
/// If the **same** audio is rendered again (at another rate, with other next items), the old rendering is cross-faded into the new one; if only its
/// gain differs, by a ramp of 40 ms.
///
/// A **pause** fades out the next 5 ms, then stops the device; at the resume, the frames after it fade in. Each frame is heard once.
final class OutputStage {
    private(set) var phase = Phase.closed
    /// The format of the ring, which stays while no device is open.
    private(set) var format = AudioFormat.compactDisc
    /// The ring, which stays while no device is open; nil before the first.
    private(set) var ring: RenderRing?
    /// The withdrawn frames, for a fade-out; nil after they were replaced.
    private var old: OldAudio?
    private var joint: Joint?
    /// The jump before the next audio; nil if the next audio continues that in the ring.
    private var jump: Jump?
    /// Whether the audio has to fade in after a pause.
    private var followsFade = false
    /// The number of the frame after the last one in the ring, when the device was last notified that no frames follow (`notifyEnd`).
    private var notifiedEnd: Int64?
    /// Whether the same audio is rendered with another gain.
    private var changesGain = false

    private let device: OutputDevice
    private let clock: HeardClock
    /// Whether cuts are faded; false for offline rendering, which has no listeners.
    let fadesCuts: Bool

    /// - Parameter wake: The function that is called, on the device's thread, when the engine has work.
    init(clock: HeardClock, fadesCuts: Bool, wake: @escaping @Sendable () -> Void) {
        device = OutputDevice(clock: clock, wake: wake)
        self.clock = clock
        self.fadesCuts = fadesCuts
    }

    // MARK: Questions

    private var sink: (any AudioSink)? { device.sink }
    var isOpen: Bool { sink != nil }
    /// Whether the device is stopped or plays only a fade-out, and no joint is incomplete.
    var canStart: Bool {
        switch phase {
        case .stopped, .fading: joint == nil
        case .closed, .running, .held: false
        }
    }
    var speakers: ChannelLayout? { sink?.speakers }
    var deviceRate: Int? { sink?.playableRate }
    var isShared: Bool { sink?.isShared ?? false }
    var isAudible: Bool { sink?.isAudible ?? false }
    var description: OutputDescription? { sink?.description }
    /// The duration of a fade, in frames: 5 ms, or 0 for offline rendering.
    private var rampFrames: Int { fadesCuts ? format.sampleRate / 200 : 0 }

    /// The duration of a change of the gain, in frames: 40 ms, or 0 for offline rendering.
    private var gainFrames: Int { fadesCuts ? Int(Double(format.sampleRate) * GainRamp.seconds) : 0 }

    func takeEvents() -> [OutputDevice.Event] { device.takeEvents() }
    func isCurrent(_ event: OutputDevice.Event) -> Bool { device.isCurrent(event) }

    // MARK: Opening

    /// Sets the format of devices that are opened from now on.
    func prepare(_ format: AudioFormat) { self.format = format }

    /// Opens a device, which is stopped, and closes the former device afterwards; if the opening fails, the former device remains open. `base` is the
    /// number of the first frame.
    func open(_ candidate: any AudioSink, at base: Int64, _ plan: BufferPlan) throws(PlaybackError) {
        let source = RenderRing(
            minimumCapacity: plan.ringFrames, history: plan.historyFrames, channelCount: format.channelCount, base: base)
        try device.open(candidate, format, source: source, base: base)
        discardCut()
        ring = source
        notifiedEnd = nil
        phase = .stopped
    }

    /// Opens the device again in the present format; if this fails, no device is open.
    func reopen(at base: Int64, _ plan: BufferPlan) throws(PlaybackError) {
        guard let sink else { return }
        sink.close()
        do throws(PlaybackError) { try open(sink, at: base, plan) } catch {
            close()
            throw error
        }
    }

    /// Closes a lost device. The next device continues at the frame that was heard last.
    func lose() {
        let heard = clock.now().frame
        close()
        discardCut()
        ring?.reset(to: heard)
    }

    func close() {
        device.close()
        phase = .closed
    }

    func setVolume(_ volume: Float, isMuted: Bool) { sink?.setVolume(volume, isMuted: isMuted) }
    func setRole(_ role: StreamRole) { sink?.setRole(role) }

    // MARK: Running

    /// Starts the device, or continues the audio of one that plays a fade-out.
    func start() throws(PlaybackError) {
        guard let sink else { return }
        let isPlaying = fadeEnd != nil
        phase = .running
        followsFade = false
        publish()
        if isPlaying { sink.sourceDidFill() } else { try sink.start() }
    }

    /// Fades out and stops the device, at once if it cannot be held. The frames after the fade-out are kept. Returns true if the device fades out.
    func pause() throws(PlaybackError) -> Bool {
        guard case .running = phase, let sink, let ring else { return false }
        finishJoint(withWhatThereIs: true)
        publish()
        guard fadesCuts, let start = try sink.hold() else {
            phase = .stopped
            try sink.stop()
            return false
        }
        keepOld(of: ring, from: start)
        phase = .held(Splice(start: start, replacement: .pause))
        followsFade = true
        layPause(in: ring)
        return true
    }

    /// Continues the audio after the fade-out of a pause. Returns false if no such fade-out is being played.
    func continueAfterFade() -> Bool {
        guard followsFade, case .fading(let end) = phase else { return false }
        phase = .running
        joinAfterFade(at: end)
        followsFade = false
        return true
    }

    /// Stops the device after a fade-out. Returns whether it was stopped.
    func stopAfterFade() throws(PlaybackError) -> Bool {
        guard case .fading(let end) = phase, let sink, clock.now().frame >= end else { return false }
        phase = .stopped
        try sink.stop()
        joinAfterFade(at: end)
        return true
    }

    private func joinAfterFade(at end: Int64) {
        if followsFade, joint == nil {
            joint = Joint(start: end, hasLeadIn: false, old: OldAudio(), frames: rampFrames)
            finishJoint()
        }
        publish()
        sink?.sourceDidFill()
    }

    // MARK: Withdrawing frames

    /// Withdraws frames, while the device plays the earlier ones, or stops. Returns the number of the first withdrawn frame; nil if no
    /// device is open.
    func withdraw() throws(PlaybackError) -> Int64? {
        guard let sink, let ring else { return nil }
        joint = nil
        switch phase {
        case .held(var splice):
            splice.fadeEnd = nil
            phase = .held(splice)
            ring.reset(to: splice.start)
            return splice.start
        case .fading(let end):
            // The frames of a fade-out are kept.
            ring.truncate(to: end)
            return end
        case .running:
            if fadesCuts, let start = try sink.hold() {
                phase = .held(Splice(start: start, replacement: .nothing))
                keepOld(of: ring, from: start)
                return start
            }
            phase = .stopped
            let start = try sink.flush()
            if fadesCuts { keepOld(of: ring, from: start) } else { old = OldAudio(start: start, channelCount: ring.channelCount) }
            return start
        case .stopped, .closed:
            let start = try sink.flush()
            old = OldAudio(start: start, channelCount: ring.channelCount)
            return start
        }
    }

    /// Withdraws frames and stops the device. Returns the number of the first withdrawn frame; nil if no device is open.
    func withdrawStopping() throws(PlaybackError) -> Int64? {
        guard let sink else { return nil }
        discardCut()
        phase = .stopped
        return try sink.flush()
    }

    /// Keeps the withdrawn frames for a fade-out.
    private func keepOld(of ring: RenderRing, from start: Int64) {
        let count = min(ring.keptFrames, 5 * rampFrames + gainFrames)
        old = OldAudio(start: start, samples: ring.copy(from: start, count: count), channelCount: ring.channelCount)
    }

    /// Discards the transition, because the device was closed, replaced or stopped.
    private func discardCut() {
        (old, joint, changesGain) = (nil, nil, false)
        ring?.release()
    }

    // MARK: Replacing frames

    func replace(with replacement: Splice.Replacement) {
        guard case .held(var splice) = phase else { return }
        splice.replacement = replacement
        phase = .held(splice)
    }

    /// Records a jump as the replacement. Rendering continues at `mark`, the tape's cursor at the start of the new audio, if the jump has
    /// to be repeated.
    func noteJump(at mark: Tape.Mark) {
        if let jump { replace(with: .jump(jump, opening: nil, mark: mark)) }
    }

    /// Fades out the old audio; the device plays nothing afterwards.
    func fadeAway() {
        guard case .held(var splice) = phase, splice.fadeEnd == nil, let ring else { return }
        layTail(min(rampFrames, old?.count(from: splice.start) ?? 0))
        splice.fadeEnd = ring.endFrame
        phase = .held(splice)
    }

    /// Announces that the same audio is rendered with another gain.
    func expectGain() { changesGain = true }

    /// Announces that the next audio does not continue that in the ring.
    func expect(_ jump: Jump) { self.jump = jump }

    /// Fades out the old audio after a jump. For a jump into an item, reserves frames for the lead-in, and publishes nothing until that is mixed.
    func beginItem() {
        guard let jump else { return }
        self.jump = nil
        followsFade = false
        guard let ring else { return }
        let tail = fadeEnd == nil ? min(rampFrames, old?.count(from: ring.endFrame) ?? 0) : 0
        switch jump {
        case .atStart: layTail(tail)
        case .inside:
            guard rampFrames > 0 else { return }
            layTail(tail)
            ring.reserve(rampFrames - tail)
            joint = Joint(start: ring.endFrame, hasLeadIn: true, old: OldAudio(), frames: rampFrames)
            ring.hold()
        }
    }

    /// Cross-fades the old rendering into the new one; after silence, the audio only fades in.
    func beginAgain(afterSilence: Bool = false) {
        guard let ring, rampFrames > 0 else { return }
        let fadesIn = followsFade || afterSilence
        let old = fadesIn ? OldAudio() : old ?? OldAudio()
        guard fadesIn || old.count(from: ring.endFrame) > 0 else { return }
        // After silence a change of the gain is not audible.
        let frames = changesGain && !fadesIn ? min(gainFrames, old.count(from: ring.endFrame)) : rampFrames
        joint = Joint(start: ring.endFrame, hasLeadIn: false, old: old, frames: frames)
        ring.hold()
    }

    func rewind(to frame: Int64) {
        // If the ring already ends at `frame`, `reset` would only remove earlier frames that the device has not taken.
        if let ring, ring.endFrame != frame { ring.reset(to: frame) }
    }

    /// Publishes the new frames, if the mix is complete.
    /// - Parameter isAllThereIs: Whether the engine has no further frames for now.
    func finish(isAllThereIs: Bool) {
        finishJoint(withWhatThereIs: isAllThereIs)
        publish()
    }

    /// Notifies the device of new frames, if they are published.
    func notifyDevice() {
        if let ring, !ring.isHeld { sink?.sourceDidFill() }
    }

    /// Notifies the device that no frames follow; once, until the ring has another end.
    func notifyEnd() {
        guard let ring, !ring.isHeld, notifiedEnd != ring.endFrame else { return }
        notifiedEnd = ring.endFrame
        sink?.sourceDidEnd()
    }

    /// Continues a held device with the replacement. Returns a `LateSplice` if the device has already played some of the withdrawn frames.
    /// - Parameter isLastAttempt: Whether the device is stopped if the replacement is too late.
    func release(isLastAttempt: Bool) throws(PlaybackError) -> LateSplice? {
        guard case .held(let splice) = phase, let sink, let ring else { return nil }
        finishJoint(withWhatThereIs: true)
        phase = if let end = splice.fadeEnd { .fading(until: end) } else { .running }
        publish()
        var start = try sink.replace(from: splice.start)
        guard start > splice.start else { return nil }
        if isLastAttempt {
            phase = .stopped
            start = try sink.flush()
        } else {
            phase = .held(Splice(start: start, replacement: splice.replacement))
        }
        joint = nil
        ring.hold()
        return LateSplice(formerStart: splice.start, start: start, replacement: splice.replacement)
    }

    /// Repeats the fade-out of a pause from frame `start` on, because the device has already played the earlier frames.
    func pauseAgain(at start: Int64) {
        guard let ring else { return }
        // The first attempt has changed the frames in the ring.
        followsFade = isHeld
        if let old { ring.restore(old, from: start) }
        layPause(in: ring)
    }

    func discardOld() {
        if joint == nil, !isHeld { (old, changesGain) = (nil, false) }
    }

    // MARK: The ring

    /// Writes the withdrawn frames again, with a fade-out over the first 5 ms.
    private func layPause(in ring: RenderRing) {
        let start = ring.endFrame
        let count = min(rampFrames, ring.keptFrames)
        ring.takeUp(.max)
        guard case .held(var splice) = phase else { return publish() }
        ring.hold()
        ring.fadeOut(from: start, count: count, over: rampFrames)
        splice.fadeEnd = start + Int64(count)
        phase = .held(splice)
    }

    /// Writes `count` withdrawn frames again, with a fade-out.
    private func layTail(_ count: Int) {
        guard let ring, count > 0, let old else { return }
        ring.hold()
        ring.append(count, of: old, fadingOutOver: rampFrames)
    }

    /// Mixes the transition if the ring has more new frames than the transition needs. If no frames follow (`isAllThereIs`), fewer are enough.
    private func finishJoint(withWhatThereIs isAllThereIs: Bool = false) {
        guard let open = joint, let ring else { return }
        let ready = Int(ring.endFrame - open.start)
        guard ready > open.frames || isAllThereIs else { return }
        joint = nil
        // A held device may need the transition again.
        if !isHeld { changesGain = false }
        if ready > 0 { ring.complete(open, ready: ready) }
    }

    /// Publishes the frames in the ring: during a fade-out up to its end; none while a joint is open or the device is held.
    private func publish() {
        guard let ring else { return }
        if let fadeEnd {
            ring.hold()
            ring.publish(upTo: fadeEnd)
        } else if joint != nil || isHeld {
            ring.hold()
        } else {
            ring.release()
            ring.publish()
        }
    }
}

extension OutputStage {
    enum Phase {
        case closed
        case stopped
        case running
        /// `until` is the first frame after the fade-out; from it on nothing is published.
        case fading(until: Int64)
        /// The device plays the frames that it has taken, and takes no others until `release`.
        case held(Splice)
    }

    var isHeld: Bool { if case .held = phase { true } else { false } }
    /// The number of the first frame that may be replaced; nil while the device is not held.
    var heldStart: Int64? { if case .held(let splice) = phase { splice.start } else { nil } }
    /// The number of the frame before which a fade-out ends; nil if there is no fade-out.
    var fadeEnd: Int64? {
        switch phase {
        case .fading(let end): end
        case .held(let splice): splice.fadeEnd
        case .closed, .stopped, .running: nil
        }
    }
}
