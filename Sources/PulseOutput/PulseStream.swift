import CPulse
import PlaybackEngine

/// A playback stream on a connected mainloop: the open half of `PulseSink`.
///
/// Byte n of the stream is byte n of the output frames, always: nothing but frames of the source is ever written, and the server is told to wait
/// (not to skip) where there are none. So the server's read index tells exactly which frames it has taken.
///
/// `@unchecked Sendable`: every stored property is touched only under the mainloop's lock, which callbacks hold.
final class PulseStream: @unchecked Sendable {
    /// Calls answer within this time or fail, in seconds.
    static let patience = 2.0

    let mainloop: PulseMainloop
    let stream: OpaquePointer
    let devices: PulseDevices
    let format: AudioFormat
    let bytesPerFrame: Int
    /// The number of the stream's first frame.
    let base: Int64
    let source: RenderSource
    let cell: PlayheadCell
    let clock = MonotonicClock()
    /// Nil once closed.
    private(set) var events: (@Sendable (AudioSinkEvent) -> Void)?
    private(set) var device: PulseDevice
    var deviceChanged: ((PulseDevice) -> Void)?

    /// Set once the stream is gone.
    private(set) var failure: PlaybackError?
    var isClosed: Bool { events == nil }
    /// Uncorked, as far as we asked.
    private(set) var isStarted = false
    /// While a flush is under way nothing is written.
    private var isHolding = false
    /// Nothing left to play although started.
    var isDry = false
    /// The frame behind the last one that was played before it ran dry.
    var dryFrame: Int64 = 0
    var dryTimer: OpaquePointer?
    /// The frame behind the last one written.
    private(set) var writtenFrames: Int64
    /// What has been asked of the server's clock and not been answered, oldest first.
    var questions: [TimingQuestion] = []
    /// How many questions have been asked and answered in all.
    var askedCount = 0
    var answeredCount = 0
    /// The answer to the last question that was not `track`.
    var landing: TimingLanding?
    private var commandFailed = false
    /// The gain that the stream's volume stands for.
    var gain: Float = 1
    /// The gain to set once the stream's present volume is known (flat volumes).
    var wantedGain: Float?
    /// Whether it is to be silent then.
    var wantsMute = false
    /// What gain 1 is on the device's scale (flat volumes).
    var fullVolume = CPulse_volumeNorm
    var tracker: PlayheadTracker

    /// Makes the stream, without connecting it.
    init(
        mainloop: PulseMainloop, format: AudioFormat, source: RenderSource, base: Int64, cell: PlayheadCell,
        events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        guard var specification = format.pulseSampleSpecification, var map = format.channelLayout.pulseChannelMap else {
            throw .pulse(Int32(PA_ERR_NOTSUPPORTED.rawValue), "PulseAudio cannot play \(format.channelCount) channels at \(format.sampleRate) Hz.")
        }
        self.mainloop = mainloop
        self.format = format
        self.source = source
        self.base = base
        self.cell = cell
        self.events = events
        bytesPerFrame = pa_frame_size(&specification)
        writtenFrames = base
        tracker = PlayheadTracker(sampleRate: format.sampleRate, frame: base, now: clock.now)
        devices = PulseDevices(context: mainloop.context)
        device = PulseDevice(name: "", description: "")
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music")
        let made: OpaquePointer? = mainloop.withLock {
            pa_stream_new_with_proplist(mainloop.context, "Playback", &specification, &map, properties)
        }
        guard let made else { throw mainloop.withLock { mainloop.lastError("PulseAudio cannot make a stream.") } }
        stream = made
        cell.store(tracker.playhead)
    }

    deinit { assert(isClosed, "a PulseStream is closed before it is let go") }

    /// Connects it, stopped, and waits until it stands and its device is known.
    func connect(to sink: String?, volume: Float, isMuted: Bool, until deadline: HostTime) throws(PlaybackError) {
        try mainloop.withLock { () throws(PlaybackError) in
            let me = Unmanaged.passUnretained(self).toOpaque()
            pa_stream_set_state_callback(stream, pulseStreamChanged, me)
            pa_stream_set_write_callback(stream, pulseStreamWants, me)
            pa_stream_set_started_callback(stream, pulseStreamStarted, me)
            pa_stream_set_underflow_callback(stream, pulseStreamUnderflowed, me)
            pa_stream_set_moved_callback(stream, pulseStreamMoved, me)
            pa_stream_set_suspended_callback(stream, pulseStreamSuspended, me)
            mainloop.onFailure = { [unowned self] error in fail(error) }
            var attributes = format.pulseBufferAttributes(bytesPerFrame: bytesPerFrame)
            // The volume is given, relative to the device's, so that none is restored from another program's last use.
            gain = pulseVolume(volume) > 0 ? volume : 1
            var volumes = pa_cvolume()
            pa_cvolume_set(&volumes, UInt32(format.channelCount), pulseVolume(gain))
            let mute = isMuted || pulseVolume(volume) == 0 ? PA_STREAM_START_MUTED : PA_STREAM_START_UNMUTED
            let flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_RELATIVE_VOLUME.rawValue | mute.rawValue
            let code = pa_stream_connect_playback(stream, sink, &attributes, pa_stream_flags_t(rawValue: flags), &volumes, nil)
            guard code == 0 else { throw mainloop.lastError("PulseAudio cannot make a stream.") }
        }
        var state = PA_STREAM_UNCONNECTED
        let isDecided = mainloop.wait(until: deadline) {
            state = pa_stream_get_state(stream)
            return state == PA_STREAM_READY || !state.isGood || failure != nil
        }
        guard isDecided else { throw .pulseTimeout("The PulseAudio server does not answer.") }
        guard state == PA_STREAM_READY else {
            throw mainloop.withLock { failure ?? mainloop.lastError("PulseAudio cannot make a stream.") }
        }
        var isKnown = false
        mainloop.withLock {
            lookUpDevice { [unowned self] in
                isKnown = true
                mainloop.notifyWaiter()
            }
        }
        guard mainloop.wait(until: deadline, { isKnown || failure != nil }) else {
            throw .pulseTimeout("The PulseAudio server does not answer.")
        }
        if let failure = mainloop.withLock({ failure }) { throw failure }
    }

    // MARK: - Commands, from the engine's thread

    /// Lets it run.
    func start() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard !isStarted else { return false }
            isStarted = true
            pull()
            try send(pa_stream_cork(stream, 0, pulseCommandAnswered, pointerToSelf))
            try skipPrebuffering()
            try ask(.start)
            return true
        }
    }

    /// Holds it, with what it has.
    func stop() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard isStarted else { return false }
            isStarted = false
            try send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try ask(.stop)
            return true
        }
    }

    /// Holds it and takes back what the server has not taken; resets the source to the first frame of that, and returns its number.
    func flush() throws(PlaybackError) -> Int64 {
        // All three go out together, and the server answers in order: the last answer tells about the flushed stream.
        try perform { () throws(PlaybackError) in
            isHolding = true
            isStarted = false
            try send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            try ask(.flush)
            return true
        }
        return try mainloop.withLock { () throws(PlaybackError) in
            guard let landing else { throw .pulse(Int32(PA_ERR_NODATA.rawValue), "The PulseAudio server does not tell its position.") }
            writtenFrames = landing.readFrame
            source.reset(to: landing.readFrame)
            isHolding = false
            return landing.readFrame
        }
    }

    /// Sends `commands` (which return whether there is anything to wait for) and waits for the answer to the last question asked.
    private func perform(_ commands: () throws(PlaybackError) -> Bool) throws(PlaybackError) {
        let deadline = clock.now + Self.patience
        let ticket = try mainloop.withLock { () throws(PlaybackError) -> Int? in
            if let failure { throw failure }
            guard !isClosed else { throw .pulse(Int32(PA_ERR_BADSTATE.rawValue), "The output is closed.") }
            landing = nil
            commandFailed = false
            return try commands() ? askedCount : nil
        }
        guard let ticket else { return }
        guard mainloop.wait(until: deadline, { answeredCount >= ticket || failure != nil }) else {
            throw .pulseTimeout("The PulseAudio server does not answer.")
        }
        try mainloop.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            if commandFailed { throw mainloop.lastError("The PulseAudio server refused a command.") }
        }
    }

    var pointerToSelf: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func send(_ operation: OpaquePointer?) throws(PlaybackError) {
        guard let operation else { throw mainloop.lastError("The PulseAudio server cannot be told.") }
        pa_operation_unref(operation)
    }

    /// A user's PULSE_LATENCY_MSEC makes the server wait for a full buffer; we want what there is to be heard.
    private func skipPrebuffering() throws(PlaybackError) {
        guard let attributes = pa_stream_get_buffer_attr(stream), attributes.pointee.prebuf > bytesPerFrame else { return }
        try send(pa_stream_trigger(stream, pulseCommandAnswered, pointerToSelf))
    }

    /// The server answered a command that carries no data.
    func commandAnswered(isDone: Bool) {
        if !isDone { commandFailed = true }
    }

    /// Ends it: no callback comes after it. The mainloop is closed with it. Idempotent.
    func close() {
        mainloop.withLock {
            guard !isClosed else { return }
            events = nil
            deviceChanged = nil
            isStarted = false
            cancelDryTimer()
            tracker.freeze(now: clock.now)
            cell.store(tracker.playhead)
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        mainloop.close()
    }

    // MARK: - Frames

    /// The server has room.
    func serverWantsFrames() {
        pull()
        // One look at the clock for each request: the stream's own pace, and no timer of its own.
        if isStarted, questions.isEmpty { try? ask(.track) }
    }

    /// Moves frames from the source to the server, as many as there are and as it has room for.
    func pull() {
        guard !isHolding, !isClosed, failure == nil, pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        let before = writtenFrames
        while let count = writeOnce(), count > 0 { writtenFrames += Int64(count) }
        guard writtenFrames > before, failure == nil else { return }
        if isDry, isStarted { try? skipPrebuffering() }
        events?(.consumed)
    }

    /// Writes one block; nil where there is no room or no frame.
    private func writeOnce() -> Int? {
        let room = pa_stream_writable_size(stream)
        guard room >= bytesPerFrame else { return nil }
        let available = Int(source.writtenFrames - source.renderedFrames)
        var byteCount = min(room / bytesPerFrame, available) * bytesPerFrame
        guard byteCount > 0 else { return nil }
        var data: UnsafeMutableRawPointer?
        guard pa_stream_begin_write(stream, &data, &byteCount) == 0, let data else { return nil }
        let samples = data.bindMemory(to: Float.self, capacity: byteCount / MemoryLayout<Float>.stride)
        let count = source.render(into: samples, frameCount: byteCount / bytesPerFrame)
        guard count > 0 else {
            pa_stream_cancel_write(stream)
            return nil
        }
        // The place is named, not taken for granted: whatever the server did to its write index, this frame belongs here.
        let offset = (writtenFrames - base) * Int64(bytesPerFrame)
        guard pa_stream_write(stream, data, count * bytesPerFrame, nil, offset, PA_SEEK_ABSOLUTE) == 0 else {
            fail(mainloop.lastError("The PulseAudio server takes no sound."))
            return nil
        }
        return count
    }

    // MARK: - What the server tells

    /// The stream came up, or is gone.
    func stateChanged() {
        mainloop.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(mainloop.lastError("The PulseAudio stream is lost."))
    }

    /// The connection or the stream is gone: told once.
    private func fail(_ error: PlaybackError) {
        guard failure == nil else { return }
        failure = error
        cancelDryTimer()
        tracker.freeze(now: clock.now)
        cell.store(tracker.playhead)
        mainloop.notifyWaiter()
        events?(.lost(error))
    }

    /// The server has read all there was. Frames that are on their way to it are not among those.
    func underflowed() {
        guard isStarted else { return }
        let index = pa_stream_get_underflow_index(stream)
        runDry(at: index < 0 ? writtenFrames : min(base + index / Int64(bytesPerFrame), writtenFrames))
        events?(.underflow)
    }

    /// The stream plays on another device now.
    func moved() {
        tracker.renew()
        lookUpDevice { [unowned self] in
            deviceChanged?(device)
            events?(.changed(device.output))
        }
        if isStarted { try? ask(.track) }
    }

    /// The device sleeps, or is awake again.
    func suspended() {
        guard isStarted else { return }
        if pa_stream_is_suspended(stream) == 1 {
            tracker.freeze(now: clock.now)
            cell.store(tracker.playhead)
        } else {
            try? ask(.track)
        }
    }

    private func lookUpDevice(then: @escaping () -> Void) {
        let name = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
        devices.lookUp(name) { [unowned self] found in
            device = found ?? PulseDevice(name: name, description: name)
            then()
        }
    }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description) }
}
