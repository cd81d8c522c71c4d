import Platform

/// The engine turns decoded media into audio on a device: renders the feeder's audio into the ring, maintains the timeline, and controls the device.
///
/// `step()` does the work: a thread calls it in production and the test in tests. All state of the engine is confined to the thread that calls
/// `step`. The engine decides the order of the work; the state is stored in the parts of the engine (`Lineup`, `Tape`, `OutputStage`, …).
final class Engine {
    let mailbox: Mailbox<EngineCommand>
    let emit: (EngineEvent) -> Void
    /// The function that makes the engine's thread call `step`. Any thread may call `wake`.
    let wake: @Sendable () -> Void
    private(set) var settings = EngineSettings()
    /// Whether the device should run: the argument of the player's last command `setRunning`.
    private(set) var wantsRunning = false
    /// The start that waits for its host time; nil if no start waits.
    private(set) var awaitedStart: AwaitedStart?
    private let meter = BufferMeter()

    /// The items of the engine: the current item, and the items that follow it.
    let lineup = Lineup()
    let facts = ItemFacts()
    let orders: FeedOrders
    let tape: Tape
    let renderer: Renderer
    let timeline: TimelineWriter
    let wantedOutput: WantedOutput
    let output: OutputStage

    /// - Parameters:
    ///   - fadesCuts: whether cuts in the audio are faded. False for offline rendering, because no listener hears the cuts.
    ///   - wake: the function that is called, on any thread, when the engine has work for `step`.
    ///   - makePitch: the function that makes the stretcher for a pitch algorithm and a format.
    ///   - emit: the receiver of the engine's events, called on the thread that steps the engine.
    init(
        output provider: (any OutputProvider)?, clock: any HostClock, fadesCuts: Bool, orders: FeedOrders, wake: @escaping @Sendable () -> Void,
        makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch, emit: @escaping (EngineEvent) -> Void
    ) {
        let clock = HeardClock(clock: clock)
        mailbox = Mailbox(wake: wake)
        self.emit = emit
        self.wake = wake
        self.orders = orders
        tape = orders.tape
        renderer = Renderer(makePitch: makePitch)
        timeline = TimelineWriter(clock: clock)
        wantedOutput = WantedOutput(provider)
        output = OutputStage(clock: clock, fadesCuts: fadesCuts, wake: wake)
    }

    /// Performs one step of the engine. Returns false if the engine has nothing to do until the next call of `wake`.
    func step() -> Bool {
        var worked = false
        for command in mailbox.takeAll() {
            handle(command)
            worked = true
        }
        for notice in orders.takeNotices() {
            handle(notice)
            worked = true
        }
        for event in output.takeEvents() where output.isCurrent(event) {
            handle(event.event)
            worked = true
        }
        if let item = tape.writeEnd?.takeTruncation() {
            cut(after: item)
            worked = true
        }
        if completeSeek() { worked = true }
        if fill() { worked = true }
        settle()
        if startIfReady() { worked = true }
        // The event of an error is sent after that of the seek that led to it, and after the timeline with the audio before the error (R-EOI-07).
        for (item, error) in facts.takeBroken() { emit(.failed(item, error)) }
        reportLevel()
        return worked
    }

    /// Closes the output device. `close` is idempotent.
    func close() { output.close() }

    func setAwaitedStart(_ start: AwaitedStart?) { awaitedStart = start }

    // MARK: Commands

    private func handle(_ command: EngineCommand) {
        switch command {
        case .load(let request): load(request)
        case .unload: unload()
        case .setUpcoming(let requests, let item): setUpcoming(requests, after: item)
        case .advance: advance()
        case .seek(let request): begin(request)
        case .setLoop(let range, let item): setLoop(range, of: item)
        case .awaitStart(let host): awaitStart(at: host)
        case .meetStart: meetStart()
        case .configure(let settings): configure(settings)
        case .setRunning(let isRunning): setRunning(isRunning)
        case .openOutput(let provider, let cause): openOutput(provider, by: cause)
        }
    }

    private func configure(_ wanted: EngineSettings) {
        let former = settings
        settings = wanted.bounded(after: former)
        if settings.role != former.role { output.setRole(settings.role) }
        if settings.volume != former.volume || settings.isMuted != former.isMuted {
            output.setVolume(settings.volume, isMuted: settings.isMuted)
        }
        if settings.forwardBuffer != former.forwardBuffer { setQueueLimits() }
        if settings.loudness != former.loudness || settings.headroom != former.headroom { gainDidChange(from: former) }
        if settings.outputRates != former.outputRates { outputRateDidChange() }
        if settings.rate != former.rate || settings.pitchAlgorithm != former.pitchAlgorithm { rateDidChange(from: former) }
    }

    /// Records the volume that another program has given the stream, so that the same volume in the settings of the player changes nothing.
    func noteVolume(_ volume: Float) { settings.volume = volume }

    private func setRunning(_ isRunning: Bool) {
        wantsRunning = isRunning
        if !isRunning {
            pause()
            abandonStart()
        } else if output.continueAfterFade() {
            publishTimeline(changed: true)
        }
        // The output is opened while the medium is.
        if isRunning, !output.isOpen, lineup.current != nil { openOutput(wantedOutput.provider, by: .opened) }
    }

    // MARK: Reports

    /// The item that is heard now; if nothing is heard, the current item.
    var heardItem: ItemID? { item(heardAt: timeline.clock.now()) }
    private func item(heardAt instant: PlaybackInstant) -> ItemID? { timeline.segments.isEmpty ? lineup.current : instant.item ?? lineup.current }

    /// Publishes the timeline to other threads.
    ///
    /// - Parameter changed: whether more has changed than the number of rendered frames.
    func publishTimeline(changed: Bool) {
        timeline.publish(written: output.ring?.writtenFrames, sampleRate: output.format.sampleRate)
        if changed { emit(.timelineChanged) }
    }

    /// Emits the level of the buffer (`BufferLevel`) if it has changed (`BufferMeter.level`). The heard position and the audio after it are of one
    /// moment, so that their sum is the end of the buffered audio.
    private func reportLevel() {
        let heard = timeline.clock.now()
        guard let item = item(heardAt: heard), facts.isOpen(item), let ring = output.ring else { return }
        let unheard = Double(max(0, ring.endFrame - heard.frame)) * abs(settings.rate)
        let frames = unheard + Double(tape.framesAhead + (tape.writeEnd?.frames ?? 0))
        let isEnded = timeline.segments.last?.reachesEndOfItem == true || tape.hasEndAhead
        let decoded = BufferMeter.Decoded(
            position: heard.item == item ? heard.time : nil, frames: frames, seconds: frames / Double(output.format.sampleRate), isEnded: isEnded,
            isFull: tape.writeEnd?.isFull ?? false, rate: settings.rate)
        let level = meter.level(of: item, decoded, facts, wantsRunning: wantsRunning && orders.seek == nil)
        if let level { emit(.bufferChanged(item, level)) }
    }

    /// Discards the last reported buffer level, because other audio is current, of another item or after a seek: its buffer level must be reported
    /// even if its flags are the same.
    func forgetLevel() { meter.forget() }
}
