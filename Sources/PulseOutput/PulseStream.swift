import CPulse
import Platform
import PlaybackEngine

/// A playback stream: the implementation of an open `PulseSink`. It owns its phase; other objects own the written frames (`StreamContent`),
/// the replies (`ServerReplies`), the playhead (`StreamPlayhead`), the rewinding (`Rewinder`), the volume (`StreamVolume`) and the
/// device (`StreamDevice`).
///
/// `@unchecked Sendable`: all state, also of these objects, is accessed only with the mainloop's lock held, as in libpulse's callbacks.
final class PulseStream: @unchecked Sendable {
    /// In seconds; if at most this much audio remains to be heard during a drain, a stop lets PipeWire play the rest.
    private static let lastBlocks = 0.05

    /// The result of our last command, or `lost`.
    private enum Phase {
        /// The stream is not ready, or its device has not been looked up.
        case connecting
        case stopped
        case started
        case lost(PlaybackError)
        case closed
    }

    let connection: PulseConnection
    let stream: OpaquePointer
    let format: AudioFormat
    let source: RenderRing
    let clock = MonotonicClock()
    let content: StreamContent
    let replies = ServerReplies()
    let playhead: StreamPlayhead
    let rewinder: Rewinder
    let volume: StreamVolume
    let device: StreamDevice
    private var phase = Phase.connecting
    /// Whether the server is PipeWire, which plays only whole blocks of a stream that is not drained, and changes the volume only once in a block.
    private(set) var isPipeWire = false
    private var end = StreamEnd.open
    /// The handler of the sink's events; nil after `close`.
    private var events: (@Sendable (AudioSinkEvent) -> Void)?

    /// Whether the stream is connected, and its device was looked up.
    var isConnected: Bool { if case .connecting = phase { false } else { true } }
    var isStarted: Bool { if case .started = phase { true } else { false } }
    var isUsable: Bool {
        switch phase {
        case .connecting, .stopped, .started: true
        case .lost, .closed: false
        }
    }
    var failure: PlaybackError? { if case .lost(let error) = phase { error } else { nil } }

    /// Creates the stream without a connection to a device.
    init(
        connection: PulseConnection, format: AudioFormat, source: RenderRing, base: Int64, cell: PlayheadCell, role: StreamRole,
        clocks: ServerClocks, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        guard var specification = format.pulseSampleSpecification, var map = format.channelLayout.pulseChannelMap else {
            throw .pulse(Int32(PA_ERR_NOTSUPPORTED.rawValue), "PulseAudio cannot play \(format.channelCount) channels at \(format.sampleRate) Hz.")
        }
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
        let made: OpaquePointer? = connection.withLock {
            pa_stream_new_with_proplist(connection.context, "Playback", &specification, &map, properties)
        }
        guard let made else { throw connection.withLock { connection.lastError("PulseAudio could not create a stream.") } }
        stream = made
        self.connection = connection
        self.format = format
        self.source = source
        self.events = events
        content = StreamContent(base: base, bytesPerFrame: pa_frame_size(&specification))
        playhead = StreamPlayhead(frame: base, sampleRate: format.sampleRate, cell: cell, connection: connection)
        rewinder = Rewinder(sampleRate: format.sampleRate)
        volume = StreamVolume(connection: connection, channelCount: format.channelCount)
        device = StreamDevice(PulseDevices(context: connection.context), clocks: clocks)
    }

    deinit {
        if case .closed = phase { return }
        assertionFailure("a PulseStream must be closed before it is released")
    }

    /// The rate of the server's stream, in frames per second.
    var rate: Int { pa_stream_get_sample_spec(stream).map { Int($0.pointee.rate) } ?? format.sampleRate }

    /// The time between two requests of the server for frames, in seconds, which the server has chosen.
    var requestInterval: Double {
        guard let attributes = pa_stream_get_buffer_attr(stream) else { return 0 }
        return Double(attributes.pointee.minreq) / Double(content.bytesPerFrame) / Double(rate)
    }

    var pointerToSelf: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Sends an event to the sink's owner. No effect after `close`.
    func emit(_ event: AudioSinkEvent) { events?(event) }

    /// Handles the reply about the server: the name of its program, and its default rate in frames per second.
    func found(server: String, defaultRate: Int) {
        isPipeWire = server.contains("PipeWire")
        device.setDefaultRate(isPipeWire && defaultRate > 0 ? defaultRate : nil)
    }

    /// Lets PipeWire play the rest of its last block. No effect with PulseAudio, which plays all frames.
    func drain() {
        guard isPipeWire else { return }
        end = .complete
        drainIfComplete()
    }

    /// Called when the source has new frames.
    func continueAfterEnd() {
        if case .complete = end { end = .open }
        pull()
    }

    /// Begins the drain if no more frames follow, and the server has all.
    func drainIfComplete() {
        guard case .complete = end, isStarted, source.writtenFrames == source.renderedFrames else { return }
        end = (try? connection.send(pa_stream_drain(stream, pulseStreamDrained, pointerToSelf))) == nil ? .open : .draining
    }

    /// Called when all frames of a drain have been played; carries out a waiting stop.
    func drained() {
        if isStarted, source.writtenFrames == source.renderedFrames { beginUnderrun(at: content.writtenFrames) }
        if case .stopping = end, !isStarted, isUsable { try? connection.send(pa_stream_cork(stream, 1, nil, nil)) }
        end = .open
    }

    /// Whether a drain is in progress, and at most `lastBlocks` seconds remain: PipeWire counts frames as played that a stop would leave unplayed.
    private var playsToEnd: Bool {
        guard case .draining = end else { return false }
        return playhead.heardFrame >= content.writtenFrames - Int64(Double(format.sampleRate) * Self.lastBlocks)
    }

    // MARK: Opening and closing

    /// Connects without starting, and waits until the stream is ready and its device looked up.
    /// - Parameters:
    ///   - sink: The name of a sink; nil for the server's choice.
    ///   - former: The preceding stream's device, to which this stream is then moved; with a connection by name, it would not follow later changes of
    ///     the default device.
    ///   - keepsRate: Whether the stream gets the device's `rate`.
    func connect(
        to sink: String?, continuing former: String?, volume gain: Float, isMuted: Bool, keepsRate: Bool, until deadline: HostTime
    ) throws(PlaybackError) {
        try connection.withLock { () throws(PlaybackError) in
            let me = pointerToSelf
            pa_stream_set_state_callback(stream, pulseStreamChanged, me)
            pa_stream_set_write_callback(stream, pulseStreamWants, me)
            pa_stream_set_started_callback(stream, pulseStreamStarted, me)
            pa_stream_set_underflow_callback(stream, pulseStreamUnderflowed, me)
            pa_stream_set_moved_callback(stream, pulseStreamMoved, me)
            pa_stream_set_suspended_callback(stream, pulseStreamSuspended, me)
            pa_stream_set_event_callback(stream, pulseStreamRequested, me)
            connection.observeFailure { [unowned self] error in fail(error) }
            var attributes = format.pulseBufferAttributes(bytesPerFrame: content.bytesPerFrame)
            // Without an initial volume, the server could restore that of another program's stream.
            var initial = volume.begin(with: gain, isMuted: isMuted)
            let mute = initial.isMuted ? PA_STREAM_START_MUTED : PA_STREAM_START_UNMUTED
            let rate = keepsRate ? PA_STREAM_FIX_RATE.rawValue : 0
            let flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_RELATIVE_VOLUME.rawValue | mute.rawValue | rate
            let code = pa_stream_connect_playback(stream, sink, &attributes, pa_stream_flags_t(rawValue: flags), &initial.volumes, nil)
            guard code == 0 else { throw connection.lastError("PulseAudio could not create a stream.") }
        }
        var state = PA_STREAM_UNCONNECTED
        let isDecided = connection.wait(until: deadline) {
            state = pa_stream_get_state(stream)
            return state == PA_STREAM_READY || !state.isGood || failure != nil
        }
        guard isDecided else { throw .pulseTimeout("The PulseAudio server did not respond in time.") }
        guard state == PA_STREAM_READY else {
            throw connection.withLock { failure ?? connection.lastError("PulseAudio could not create a stream.") }
        }
        if sink == nil, let former, connection.withLock({ deviceName }) != former {
            try waitForReply(until: deadline) { device.move(stream: pa_stream_get_index(stream), to: former, then: $0) }
        }
        // Replies are in order, so the facts about the server arrive before those about the device.
        try connection.withLock { () throws(PlaybackError) in
            try connection.send(pa_context_get_server_info(connection.context, pulseServerFound, pointerToSelf))
        }
        try waitForReply(until: deadline) { isAnswered in
            device.lookUp(deviceName) { [unowned self] in
                device.connected()
                isAnswered()
            }
        }
        try connection.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            phase = .stopped
            volume.observe { [unowned self] gain, isMuted in emit(.volumeChanged(gain, isMuted: isMuted)) }
            pa_context_set_subscribe_callback(connection.context, pulseStreamNoted, pointerToSelf)
            let changes = pa_subscription_mask_t(rawValue: PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue | PA_SUBSCRIPTION_MASK_SINK.rawValue)
            try connection.send(pa_context_subscribe(connection.context, changes, nil, nil))
        }
    }

    /// Waits until the function that `request` gets has been called.
    private func waitForReply(until deadline: HostTime, _ request: (@escaping () -> Void) -> Void) throws(PlaybackError) {
        var isAnswered = false
        connection.withLock {
            request { [unowned self] in
                isAnswered = true
                connection.notifyWaiter()
            }
        }
        guard connection.wait(until: deadline, { isAnswered || failure != nil }) else {
            throw .pulseTimeout("The PulseAudio server did not respond in time.")
        }
    }

    /// Sends one event about the loss, or lets `connect` throw. The caller holds the lock.
    func fail(_ error: PlaybackError) {
        guard isUsable else { return }
        let wasOpen = isConnected
        phase = .lost(error)
        playhead.cancelTimer()
        volume.end()
        playhead.freeze()
        connection.notifyWaiter()
        if wasOpen { emit(.lost(error)) }
    }

    /// Closes the stream and its connection; libpulse calls no callback afterwards. Idempotent.
    func close() {
        connection.withLock {
            if case .closed = phase { return }
            phase = .closed
            events = nil
            device.observe(nil)
            volume.observe(nil)
            playhead.cancelTimer()
            volume.end()
            playhead.freeze()
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        connection.close()
    }

    // MARK: Running

    /// Called on the engine's thread, without the lock.
    func start() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard !isStarted else { return false }
            phase = .started
            pull()
            try connection.send(pa_stream_cork(stream, 0, pulseCommandAnswered, pointerToSelf))
            try skipPrebuffering()
            try requestTiming(.start)
            drainIfComplete()
            return true
        }
    }

    /// Stops playback, and keeps the server's buffer. Near the end of a drain (`playsToEnd`), the stop is sent only after the drain (`drained`).
    func stop() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard isStarted else { return false }
            phase = .stopped
            if playsToEnd {
                end = .stopping
            } else {
                try connection.send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            }
            try requestTiming(.stop)
            return true
        }
    }

    /// Stops playback, discards the frames that the server has not taken, resets the source to the lowest of them, and returns this frame.
    func flush() throws(PlaybackError) -> Int64 {
        // Replies are in order, so the reply to the timing request describes the flushed stream.
        try perform { () throws(PlaybackError) in
            content.suspend()
            phase = .stopped
            try connection.send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try connection.send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            try requestTiming(.flush)
            return true
        }
        return try connection.withLock { () throws(PlaybackError) in
            guard let landing = replies.landingFrame else {
                throw .pulse(Int32(PA_ERR_NODATA.rawValue), "The PulseAudio server did not report its position.")
            }
            content.setEnd(landing)
            source.reset(to: landing)
            content.resume()
            return landing
        }
    }

    /// Sends commands, and waits for the reply to their last timing request, unless `commands` returns false because it has sent none.
    func perform(_ commands: () throws(PlaybackError) -> Bool) throws(PlaybackError) {
        let deadline = clock.now + connection.patience
        let ticket = try connection.withLock { () throws(PlaybackError) -> Int? in
            if let failure { throw failure }
            guard isUsable else { throw .pulse(Int32(PA_ERR_BADSTATE.rawValue), "The output is closed.") }
            replies.beginCommands()
            return try commands() ? replies.requestCount : nil
        }
        guard let ticket else { return }
        guard connection.wait(until: deadline, { replies.isAnswered(ticket) || failure != nil }) else {
            throw .pulseTimeout("The PulseAudio server did not respond in time.")
        }
        try connection.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            if replies.hasRefusal { throw connection.lastError("The PulseAudio server refused a command.") }
        }
    }
}

/// Whether the audio has ended: PipeWire plays the rest of its last block only if the stream is drained.
enum StreamEnd {
    case open
    /// No more frames follow, and the server is not draining yet.
    case complete
    /// The server is draining, and has not replied yet that all frames were played.
    case draining
    /// The server is draining, and a stop is sent after its reply.
    case stopping
}
