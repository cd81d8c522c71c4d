/// The open device, its ring, and the transitions between old and new audio in the ring. The engine's thread owns the `OutputStage`.
///
/// If audio in the ring is replaced, the old audio fades out over 5 ms and the new audio fades in, without a click, in one of three ways:
///
/// A **jump** (a seek, another item, another direction) has a lead-in: the first 5 ms of the new audio, mirrored about its first frame. The lead-in
/// fades in while the old audio fades out. The requested frame follows at full level, and the new audio from it on is unchanged. The lead-in is
/// mirrored, so that the audio before the requested frame is not heard, and no step between samples is larger than in the new audio. The mix is never
/// louder than the louder of the old and the new audio. The timeline of the new audio begins with the requested frame, and the position stays at this
/// frame until it is heard. A jump to the start of an item has no lead-in: the item begins after the fade-out of the old audio.
///
/// If the **same** audio is rendered again (at another rate, with other next items), the old rendering is cross-faded into the new one. If only its
/// gain differs, the cross-fade takes 40 ms, and is a linear ramp of the gain.
///
/// A **pause** fades out the next 5 ms of audio, and stops the device after the fade-out was heard. At the resume, the frames after the fade-out fade
/// in. Each frame is heard once, despite pauses.
final class OutputStage {
    private(set) var phase = Phase.closed
    /// The format of the ring and the device, which is kept while no device is open.
    private(set) var format = AudioFormat.compactDisc
    /// The ring of the last device, which is kept while no device is open; nil before the first device.
    private(set) var ring: RenderRing?
    /// The old audio: a copy of the first frames that were withdrawn from the device. The old audio is nil after the withdrawn frames were replaced.
    private var old: OldAudio?
    private var joint: Joint?
    /// The jump with which the next audio begins; nil if the next audio continues the audio in the ring.
    private var jump: Jump?
    /// Whether the next frame follows the fade-out of a pause, so that the audio has to fade in.
    private var followsFade = false
    /// The end of the ring when the device was notified last that no frames follow (`notifyEnd`); nil if it was not notified.
    private var toldEnd: Int64?
    /// Whether the same audio is rendered again with another gain, so that its transition is a ramp of the gain.
    private var changesGain = false

    private let device: OutputDevice
    private let clock: PlaybackClock
    /// Whether the audio is played to listeners. If the audio is not played to listeners (offline rendering), no cut is faded.
    let isForEars: Bool

    /// - Parameter wake: the function that wakes the engine, called on the device's thread.
    init(clock: PlaybackClock, fadesIn: Bool, wake: @escaping @Sendable () -> Void) {
        device = OutputDevice(clock: clock, wake: wake)
        self.clock = clock
        isForEars = fadesIn
    }

    // MARK: Questions

    private var sink: (any AudioSink)? { device.sink }
    var isOpen: Bool { sink != nil }
    /// Whether the device can start: it is stopped or plays only a fade-out, and no joint of old and new audio is incomplete.
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
    /// The number of frames of a ramp: 5 ms, or 0 for offline rendering, which has no listeners.
    private var rampFrames: Int { isForEars ? format.sampleRate / 200 : 0 }

    /// The number of frames of the transition to another gain: 40 ms, or 0 for offline rendering.
    private var gainFrames: Int { isForEars ? Int(Double(format.sampleRate) * GainRamp.seconds) : 0 }

    /// Returns the events that devices have sent since the last call of `takeEvents`.
    func takeEvents() -> [OutputDevice.Event] { device.takeEvents() }
    /// Whether an event was sent by the device that is open now.
    func isCurrent(_ event: OutputDevice.Event) -> Bool { device.isCurrent(event) }

    // MARK: Opening

    /// Sets the format of devices that are opened from now on.
    func prepare(_ format: AudioFormat) { self.format = format }

    /// Opens a device in the stopped state, and closes the former device after that. If the opening fails, the former device remains open.
    ///
    /// - Parameter base: the number of the first frame that the device takes.
    func open(_ candidate: any AudioSink, at base: Int64, _ plan: BufferPlan) throws(PlaybackError) {
        let source = RenderRing(
            minimumCapacity: plan.ringFrames, history: plan.historyFrames, channelCount: format.channelCount, base: base)
        try device.open(candidate, format, source: source, base: base)
        discardCut()
        ring = source
        toldEnd = nil
        phase = .stopped
    }

    /// Closes the device and opens it again, in the present format. If the device cannot be opened again, no device is open.
    func reopen(at base: Int64, _ plan: BufferPlan) throws(PlaybackError) {
        guard let sink else { return }
        sink.close()
        do throws(PlaybackError) { try open(sink, at: base, plan) } catch {
            close()
            throw error
        }
    }

    /// Closes a device that failed. The next device continues at the frame that was heard last.
    func lose() {
        let heard = clock.now().frame
        close()
        discardCut()
        ring?.reset(to: heard)
    }

    /// Closes the open device, if there is one.
    func close() {
        device.close()
        phase = .closed
    }

    func setVolume(_ volume: Float, isMuted: Bool) { sink?.setVolume(volume, isMuted: isMuted) }
    func setRole(_ role: StreamRole) { sink?.setRole(role) }

    // MARK: Running

    /// Starts a stopped device, or continues the playback of a device that plays a fade-out.
    func start() throws(PlaybackError) {
        guard let sink else { return }
        let isPlaying = fadeEnd != nil
        phase = .running
        followsFade = false
        publish()
        if isPlaying { sink.sourceDidFill() } else { try sink.start() }
    }

    /// Holds the device and fades out the audio. If the device cannot be held, stops the device at once. The frames after the fade-out are kept for
    /// the resume.
    ///
    /// - Returns: true if the device is held and fades out; false if it is stopped or did not play.
    func pause() throws(PlaybackError) -> Bool {
        guard case .running = phase, let sink, let ring else { return false }
        finishJoint(withWhatThereIs: true)
        publish()
        guard isForEars, let start = try sink.hold() else {
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

    /// Continues playback on a device that plays the fade-out of a pause. Returns false if the device does not play the fade-out of a pause.
    func continueAfterFade() -> Bool {
        guard followsFade, case .fading(let end) = phase else { return false }
        phase = .running
        joinAfterFade(at: end)
        followsFade = false
        return true
    }

    /// Stops the device if its fade-out has been heard. Returns whether the device was stopped.
    func stopAfterFade() throws(PlaybackError) -> Bool {
        guard case .fading(let end) = phase, let sink, clock.now().frame >= end else { return false }
        phase = .stopped
        try sink.stop()
        joinAfterFade(at: end)
        return true
    }

    /// Lets the frames after a fade-out fade in, and publishes them to the device.
    private func joinAfterFade(at end: Int64) {
        if followsFade, joint == nil {
            joint = Joint(start: end, hasLeadIn: false, old: OldAudio(), frames: rampFrames)
            finishJoint()
        }
        publish()
        sink?.sourceDidFill()
    }

    // MARK: Withdrawing frames

    /// Withdraws all frames that can still be replaced. The device continues to play the earlier frames, or stops. Returns the number of the first
    /// withdrawn frame; nil if no device is open.
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
            // A device that fades out keeps the frames of the fade-out; only later frames are withdrawn.
            ring.truncate(to: end)
            return end
        case .running:
            if isForEars, let start = try sink.hold() {
                phase = .held(Splice(start: start, replacement: .nothing))
                keepOld(of: ring, from: start)
                return start
            }
            phase = .stopped
            let start = try sink.flush()
            if isForEars { keepOld(of: ring, from: start) } else { old = OldAudio(start: start, channelCount: ring.channelCount) }
            return start
        case .stopped, .closed:
            let start = try sink.flush()
            old = OldAudio(start: start, channelCount: ring.channelCount)
            return start
        }
    }

    /// Stops the device and withdraws all frames that it has not played. Returns the number of the first withdrawn frame; nil if no device is open.
    func withdrawStopping() throws(PlaybackError) -> Int64? {
        guard let sink else { return nil }
        discardCut()
        phase = .stopped
        return try sink.flush()
    }

    /// Copies the first frames that were withdrawn from the device, from frame number `start` on, for a fade-out.
    private func keepOld(of ring: RenderRing, from start: Int64) {
        let count = min(ring.keptFrames, 5 * rampFrames + gainFrames)
        old = OldAudio(start: start, samples: ring.copy(from: start, count: count), channelCount: ring.channelCount)
    }

    /// Discards the old audio and the incomplete joint of old and new audio, because the device was closed, replaced or stopped.
    private func discardCut() {
        (old, joint, changesGain) = (nil, nil, false)
        ring?.release()
    }

    // MARK: Replacing frames

    /// Records the audio that replaces the withdrawn frames of a held device.
    func replace(with replacement: Splice.Replacement) {
        guard case .held(var splice) = phase else { return }
        splice.replacement = replacement
        phase = .held(splice)
    }

    /// If the next audio is a jump, records it as the replacement for the withdrawn frames of a held device. `mark` is the position of the track's
    /// cursor, at the start of the new audio: rendering continues there if the jump has to be repeated.
    func noteJump(at mark: Track.Mark) {
        if let jump { replace(with: .jump(jump, opening: nil, mark: mark)) }
    }

    /// Fades out the audio that was withdrawn from a held device. The device plays nothing after the fade-out.
    func fadeAway() {
        guard case .held(var splice) = phase, splice.fadeEnd == nil, let ring else { return }
        layTail(min(rampFrames, old?.count(from: splice.start) ?? 0))
        splice.fadeEnd = ring.endFrame
        phase = .held(splice)
    }

    /// Records that the same audio is rendered again with another gain.
    func expectGain() { changesGain = true }

    /// Records that the next audio is a jump: it does not continue the audio in the ring.
    func expect(_ jump: Jump) { self.jump = jump }

    /// Prepares the ring for the first audio of an item. After a jump, the old audio fades out. If the jump is inside the item, frames are also
    /// reserved for the lead-in, and the ring publishes no new frames until `finishJoint` has mixed the lead-in.
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

    /// Prepares the ring for audio that is rendered again. The old rendering is cross-faded into the new one; after silence, the audio only fades in.
    func beginAgain(afterSilence: Bool = false) {
        guard let ring, rampFrames > 0 else { return }
        let fadesIn = followsFade || afterSilence
        let old = fadesIn ? OldAudio() : old ?? OldAudio()
        guard fadesIn || old.count(from: ring.endFrame) > 0 else { return }
        // After silence a change of the gain is not audible, so the audio fades in as usual.
        let frames = changesGain && !fadesIn ? min(gainFrames, old.count(from: ring.endFrame)) : rampFrames
        joint = Joint(start: ring.endFrame, hasLeadIn: false, old: old, frames: frames)
        ring.hold()
    }

    /// Removes the frames of the ring from a frame number on.
    func rewind(to frame: Int64) {
        // If the ring already ends at `frame`, no frames have to be removed, and `reset` would remove earlier frames that the device has not taken.
        if let ring, ring.endFrame != frame { ring.reset(to: frame) }
    }

    /// Publishes the new frames of the ring to the device, if the mix of old and new audio is complete.
    ///
    /// - Parameter isAllThereIs: whether the engine has no further frames for now.
    func finish(isAllThereIs: Bool) {
        finishJoint(withWhatThereIs: isAllThereIs)
        publish()
    }

    /// Notifies the device of new frames in the ring, if these frames are published.
    func notifyDevice() {
        if let ring, !ring.isHeld { sink?.sourceDidFill() }
    }

    /// Notifies the device that no frames follow those in the ring. The device is notified only once of the same end.
    func notifyEnd() {
        guard let ring, !ring.isHeld, toldEnd != ring.endFrame else { return }
        toldEnd = ring.endFrame
        sink?.sourceDidEnd()
    }

    /// Releases a held device, which continues with the replacement of the withdrawn frames.
    ///
    /// - Parameter isLastAttempt: whether the device is stopped if the replacement is too late (the device has played withdrawn frames).
    /// - Returns: nil if the replacement is complete. If the device has already played some of the withdrawn frames, returns a `LateSplice`, with
    ///   which the caller has to repeat the replacement from a later frame.
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

    /// Repeats the fade-out of a pause from a later frame, because the device has already played the earlier frames.
    func pauseAgain(at start: Int64) {
        guard let ring else { return }
        // The first attempt has changed the frames in the ring, so the unchanged copy of these frames is restored before the second attempt.
        followsFade = isHeld
        if let old { ring.restore(old, from: start) }
        layPause(in: ring)
    }

    /// Discards the copy of the old audio after the old audio has been replaced.
    func discardOld() {
        if joint == nil, !isHeld { (old, changesGain) = (nil, false) }
    }

    // MARK: The ring

    /// Appends the withdrawn frames to the ring again, with a fade-out over the first 5 ms.
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

    /// Appends the first `count` frames of the old audio to the ring, with a fade-out.
    private func layTail(_ count: Int) {
        guard let ring, count > 0, let old else { return }
        ring.hold()
        ring.append(count, of: old, fadingOutOver: rampFrames)
    }

    /// Completes the transition of the joint if the ring has more new frames than the transition takes; if no frames follow, with those that it has.
    private func finishJoint(withWhatThereIs isAllThereIs: Bool = false) {
        guard let open = joint, let ring else { return }
        let ready = Int(ring.endFrame - open.start)
        guard ready > open.frames || isAllThereIs else { return }
        joint = nil
        // A held device may demand that the transition is written again from a later frame.
        if !isHeld { changesGain = false }
        if ready > 0 { ring.complete(open, ready: ready) }
    }

    /// Publishes the ring's frames to the device: during a fade-out, only those up to its end; while a joint is open or the device is held, none.
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

/// The phases of the device.
extension OutputStage {
    /// The phase of the device.
    enum Phase {
        /// No device is open.
        case closed
        /// A device is open and does not play.
        case stopped
        case running
        /// The device plays a fade-out. `until` is the number of the first frame after the fade-out. The ring does not publish frames from `until`
        /// on, so the device cannot take them.
        case fading(until: Int64)
        /// The device plays the frames that it has taken, and takes no other frames until the stage releases it (`release`).
        case held(Splice)
    }

    var isHeld: Bool { if case .held = phase { true } else { false } }
    /// The number of the first frame that a held device may receive as a replacement; nil if the device is not held.
    var heldStart: Int64? { if case .held(let splice) = phase { splice.start } else { nil } }
    /// The number of the frame before which a fade-out ends; nil if no fade-out is in progress.
    var fadeEnd: Int64? {
        switch phase {
        case .fading(let end): end
        case .held(let splice): splice.fadeEnd
        case .closed, .stopped, .running: nil
        }
    }
}
