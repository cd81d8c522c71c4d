/// The open device, the ring that it plays from, and the transitions between old and new audio in the ring. Owned by the engine's thread.
///
/// If audio does not continue as it was going, the old audio fades out over 5 ms and the new audio fades in; no frame that was asked for is touched.
///
/// A **jump** (a seek, another item, another direction) has a lead-in: the first 5 ms of the new audio, mirrored about its first frame, fade in under
/// the old audio that fades out. The frame that was asked for follows at full level. The lead-in is mirrored because the audio before that frame must
/// not be heard; so no step is larger than those of the audio itself, and the blend is never louder than the louder of the two. The timeline begins
/// with the frame asked for; until that is heard, the position rests there. An item that begins at its start has no lead-in.
///
/// If the **same** audio continues (another rate, other items to follow), the old rendering is cross-faded into the new one.
///
/// A **pause** lets the next 5 ms fade out, and stops the device when they have been heard. The frames after them fade in at the resume. Each frame is
/// heard once.
final class OutputStage {
    /// What the device does.
    enum Phase {
        /// No device is open.
        case closed
        /// It is open and does not play.
        case stopped
        case running
        /// It plays up to this frame and gets none from it on.
        case fading(until: Int64)
        /// It plays on and takes nothing until `release`.
        case held(Splice)
    }

    private(set) var phase = Phase.closed
    /// The format of the ring and the device. Kept while no device is open.
    private(set) var format = AudioFormat.compactDisc
    /// The ring of the last device. Kept while no device is open.
    private(set) var ring: RenderSource?
    /// What was taken back from the device, until its place is complete.
    private var old: OldAudio?
    private var joint: Joint?
    /// How the next audio begins, if it does not follow what is in the ring.
    private var jump: Jump?
    /// Whether the next frame follows a fade-out, so that it fades in.
    private var followsFade = false

    private let device: OutputDevice
    private let clock: PlaybackClock
    /// Whether somebody listens. Otherwise every cut is a hard one.
    let isForEars: Bool

    /// - Parameter wake: called on the device's thread.
    init(clock: PlaybackClock, fadesIn: Bool, wake: @escaping @Sendable () -> Void) {
        device = OutputDevice(clock: clock, wake: wake)
        self.clock = clock
        isForEars = fadesIn
    }

    // MARK: Questions

    private var sink: (any AudioSink)? { device.sink }
    var isOpen: Bool { sink != nil }
    var isHeld: Bool { if case .held = phase { true } else { false } }
    /// The frame from which a held device may get other audio, nil if it is not held.
    var heldStart: Int64? { if case .held(let splice) = phase { splice.start } else { nil } }
    /// The frame at which a fade-out ends, nil if there is none.
    var fadeEnd: Int64? {
        switch phase {
        case .fading(let end): end
        case .held(let splice): splice.fadeEnd
        case .closed, .stopped, .running: nil
        }
    }
    /// Whether the device can start: it does not play, or only a fade-out, and the ring has no open joint.
    var canStart: Bool {
        switch phase {
        case .stopped, .fading: joint == nil
        case .closed, .running, .held: false
        }
    }
    var speakers: ChannelLayout? { sink?.speakers }
    var isAudible: Bool { sink?.isAudible ?? false }
    var description: OutputDescription? { sink?.description }
    /// Frames of a ramp: 5 ms; none if nobody listens.
    private var rampFrames: Int { isForEars ? format.sampleRate / 200 : 0 }

    /// The events of devices since the last call.
    func takeEvents() -> [OutputDevice.Event] { device.takeEvents() }
    /// Whether an event is one of the open device.
    func isCurrent(_ event: OutputDevice.Event) -> Bool { device.isCurrent(event) }

    // MARK: Opening

    /// Sets the format of devices that are opened from now on.
    func prepare(_ format: AudioFormat) { self.format = format }

    /// Opens a device, stopped, in place of the open one, which is closed. An error leaves the open one as it is.
    ///
    /// - Parameter base: the number of the device's first frame.
    func open(_ candidate: any AudioSink, at base: Int64, _ plan: BufferPlan) throws(PlaybackError) {
        let source = RenderSource(
            minimumCapacity: plan.ringFrames, history: plan.historyFrames, channelCount: format.channelCount, base: base)
        try device.open(candidate, format, source: source, base: base)
        discardCut()
        ring = source
        phase = .stopped
    }

    /// Closes the device and opens it again, in the present format. After an error no device is open.
    func reopen(at base: Int64, _ plan: BufferPlan) throws(PlaybackError) {
        guard let sink else { return }
        sink.close()
        do throws(PlaybackError) { try open(sink, at: base, plan) } catch {
            close()
            throw error
        }
    }

    /// Gives up a device that failed. The next one continues at the playhead.
    func lose() {
        let heard = clock.now().frame
        close()
        discardCut()
        ring?.reset(to: heard)
    }

    /// Closes the device. Idempotent.
    func close() {
        device.close()
        phase = .closed
    }

    func setVolume(_ volume: Float, isMuted: Bool) { sink?.setVolume(volume, isMuted: isMuted) }
    func setRole(_ role: StreamRole) { sink?.setRole(role) }

    // MARK: Running

    /// Starts the device, or lets it play on after a fade-out.
    func start() throws(PlaybackError) {
        guard let sink else { return }
        let isPlaying = fadeEnd != nil
        phase = .running
        followsFade = false
        publish()
        if isPlaying { sink.sourceDidFill() } else { try sink.start() }
    }

    /// Lets the audio fade out, in a device that is held for it, or stops the device at once if it holds too much. What follows is kept.
    ///
    /// - Returns: whether the device is held.
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

    /// Lets a device play on that fades out for a pause. False if there is none.
    func continueAfterFade() -> Bool {
        guard followsFade, case .fading(let end) = phase else { return false }
        phase = .running
        joinAfterFade(at: end)
        followsFade = false
        return true
    }

    /// Stops a device that has played its fade-out. False if there is none.
    func stopAfterFade() throws(PlaybackError) -> Bool {
        guard case .fading(let end) = phase, let sink, clock.now().frame >= end else { return false }
        phase = .stopped
        try sink.stop()
        joinAfterFade(at: end)
        return true
    }

    /// Makes the frames after a fade-out ready for the device.
    private func joinAfterFade(at end: Int64) {
        if followsFade, joint == nil {
            joint = Joint(start: end, hasLeadIn: false, old: OldAudio())
            finishJoint()
        }
        publish()
        sink?.sourceDidFill()
    }

    // MARK: Taking back

    /// Takes back all that the device has not taken: it plays on with what it has, or stops. Returns the number of the first frame that was taken back, nil
    /// if no device is open.
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
            // The fade-out is left to the device.
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

    /// Stops the device and takes back all that it has not taken. Returns like `withdraw`.
    func withdrawStopping() throws(PlaybackError) -> Int64? {
        guard let sink else { return nil }
        discardCut()
        phase = .stopped
        return try sink.flush()
    }

    /// Copies the first frames that the device gave back.
    private func keepOld(of ring: RenderSource, from start: Int64) {
        let count = min(ring.keptFrames, 5 * rampFrames)
        old = OldAudio(start: start, samples: ring.copy(from: start, count: count), channelCount: ring.channelCount)
    }

    /// Discards a cut: its device is gone, or begins anew.
    private func discardCut() {
        (old, joint) = (nil, nil)
        ring?.isHeldBack = false
    }

    // MARK: Putting in place

    /// Sets what replaces the frames of a held device.
    func replace(with replacement: Splice.Replacement) {
        guard case .held(var splice) = phase else { return }
        splice.replacement = replacement
        phase = .held(splice)
    }

    /// Records an expected jump as what replaces the frames of a held device; `mark` is where the track stands before it.
    func noteJump(at mark: Track.Mark) {
        if let jump { replace(with: .jump(jump, opening: nil, mark: mark)) }
    }

    /// Lets what was taken back from a held device fade out, and the device stop after it.
    func fadeAway() {
        guard case .held(var splice) = phase, splice.fadeEnd == nil, let ring else { return }
        layTail(min(rampFrames, old?.count(from: splice.start) ?? 0))
        splice.fadeEnd = ring.endFrame
        phase = .held(splice)
    }

    /// Declares that the next audio does not follow what is in the ring.
    func expect(_ jump: Jump) { self.jump = jump }

    /// Prepares the ring for the audio of an item that begins. After a jump the old audio fades out before it, and frames are reserved for its lead-in.
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
            joint = Joint(start: ring.endFrame, hasLeadIn: true, old: OldAudio())
            ring.isHeldBack = true
        }
    }

    /// Prepares the ring for the same audio in another rendering.
    func beginAgain() {
        guard let ring, rampFrames > 0 else { return }
        let old = old ?? OldAudio()
        guard followsFade || old.count(from: ring.endFrame) > 0 else { return }
        joint = Joint(start: ring.endFrame, hasLeadIn: false, old: followsFade ? OldAudio() : old)
        ring.isHeldBack = true
    }

    /// Empties the ring from a frame on.
    func rewind(to frame: Int64) {
        // A device that plays on has not rendered all frames before it.
        if let ring, ring.endFrame != frame { ring.reset(to: frame) }
    }

    /// Publishes the new frames of the ring if they are complete.
    ///
    /// - Parameter isAllThereIs: no frames follow for now.
    func finish(isAllThereIs: Bool) {
        finishJoint(withWhatThereIs: isAllThereIs)
        publish()
    }

    /// Notifies the device of new frames, unless they are held back.
    func notifyDevice() {
        if let ring, !ring.isHeldBack { sink?.sourceDidFill() }
    }

    /// Gives a held device what was put in place.
    ///
    /// - Parameter isLastAttempt: if the device is too quick once more, it is stopped.
    /// - Returns: the splice to be put in place again after the frames that a quicker device took; nil when all is in place.
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
        ring.isHeldBack = true
        return LateSplice(formerStart: splice.start, start: start, replacement: splice.replacement)
    }

    /// Puts a pause in place again from a later frame.
    func pauseAgain(at start: Int64) {
        guard let ring else { return }
        // The first 5 ms of what is kept were faded out in place.
        followsFade = isHeld
        if let old { ring.restore(old, from: start) }
        layPause(in: ring)
    }

    /// Discards the old audio when nothing awaits it any more.
    func discardOld() {
        if joint == nil, !isHeld { old = nil }
    }

    // MARK: The ring

    /// Takes up what the device gave back, with its beginning faded out.
    private func layPause(in ring: RenderSource) {
        let start = ring.endFrame
        let count = min(rampFrames, ring.keptFrames)
        ring.takeUp(.max)
        guard case .held(var splice) = phase else { return publish() }
        ring.isHeldBack = true
        ring.fadeOut(from: start, count: count, over: rampFrames)
        splice.fadeEnd = start + Int64(count)
        phase = .held(splice)
    }

    /// Appends old audio that fades out.
    private func layTail(_ count: Int) {
        guard let ring, count > 0, let old else { return }
        ring.isHeldBack = true
        ring.append(count, of: old, fadingOutOver: rampFrames)
    }

    /// Completes the beginning of new audio if enough of it is in the ring, or with what there is.
    private func finishJoint(withWhatThereIs isAllThereIs: Bool = false) {
        guard let open = joint, let ring else { return }
        let ready = Int(ring.endFrame - open.start)
        guard ready > rampFrames || isAllThereIs else { return }
        joint = nil
        if ready > 0 { ring.complete(open, over: rampFrames, ready: ready) }
    }

    /// Publishes the frames that are complete, up to the end of a fade-out.
    private func publish() {
        guard let ring else { return }
        if let fadeEnd {
            ring.isHeldBack = true
            ring.publish(upTo: fadeEnd)
        } else {
            ring.isHeldBack = joint != nil || isHeld
            if !ring.isHeldBack { ring.publish() }
        }
    }
}
