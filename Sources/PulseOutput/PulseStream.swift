import CPulse
import Platform
import PlaybackEngine

/// A playback stream on a connected libpulse mainloop: the implementation of an open `PulseSink`.
///
/// A `PulseStream` owns its phase (`connecting`, `stopped`, `started`, `lost` or `closed`). Other objects own the rest of the state: the written
/// frames (`StreamContent`), the server's replies (`ServerReplies`), the playhead (`StreamPlayhead`), the rewinding (`Rewinder`), the volume
/// (`StreamVolume`) and the device (`StreamDevice`).
///
/// `@unchecked Sendable`: all state of a `PulseStream` and of its objects is accessed only with the mainloop's lock held. libpulse's callbacks hold
/// the lock too.
final class PulseStream: @unchecked Sendable {
    /// A duration in seconds. If at most this duration remains to be heard while the server drains the stream, a stop lets PipeWire play the rest.
    private static let lastBlocks = 0.05

    /// The phase of the PulseAudio stream: the result of our last command, or `lost`.
    private enum Phase {
        /// The PulseAudio stream is not connected yet, or its device has not been looked up yet.
        case connecting
        case stopped
        case started
        /// The connection to the server or the stream failed.
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
    /// Whether the server is PipeWire, which plays only whole blocks of a stream that is not drained, and applies a volume once in each block.
    private(set) var isPipeWire = false
    private var end = StreamEnd.open
    /// The handler of the events of the PulseAudio sink; nil after `close`.
    private var events: (@Sendable (AudioSinkEvent) -> Void)?

    /// Whether the PulseAudio stream has been connected and its device looked up.
    var isConnected: Bool { if case .connecting = phase { false } else { true } }
    var isStarted: Bool { if case .started = phase { true } else { false } }
    /// Whether the PulseAudio stream accepts commands.
    var isUsable: Bool {
        switch phase {
        case .connecting, .stopped, .started: true
        case .lost, .closed: false
        }
    }
    /// The error that ended the PulseAudio stream; nil if the stream has not been lost.
    var failure: PlaybackError? { if case .lost(let error) = phase { error } else { nil } }

    /// Makes the PulseAudio stream, without a connection to a device.
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

    /// The sample rate of the PulseAudio stream, in frames per second.
    var rate: Int { pa_stream_get_sample_spec(stream).map { Int($0.pointee.rate) } ?? format.sampleRate }

    var pointerToSelf: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Sends an event of the sink to its handler, unless the stream is closed.
    func emit(_ event: AudioSinkEvent) { events?(event) }

    /// Records the name of the server's program and the server's default rate, in frames per second.
    func found(server: String, defaultRate: Int) {
        isPipeWire = server.contains("PipeWire")
        device.setDefaultRate(isPipeWire && defaultRate > 0 ? defaultRate : nil)
    }

    /// Makes PipeWire play all frames of the source to the last. Without this command, PipeWire would keep the rest of its last block until more
    /// frames follow. Has no effect with PulseAudio, which plays all frames.
    func drain() {
        guard isPipeWire else { return }
        end = .complete
        drainIfComplete()
    }

    /// Takes the new frames of the source. Called after the source has received frames.
    func continueAfterEnd() {
        if case .complete = end { end = .open }
        pull()
    }

    /// Asks the server to drain the stream, if the stream has started, no more frames follow, and the server has received all frames.
    func drainIfComplete() {
        guard case .complete = end, isStarted, source.writtenFrames == source.renderedFrames else { return }
        end = (try? connection.send(pa_stream_drain(stream, pulseStreamDrained, pointerToSelf))) == nil ? .open : .draining
    }

    /// Handles the server's reply to the drain: all frames have been played. Carries out a stop that has waited for this reply.
    func drained() {
        if isStarted, source.writtenFrames == source.renderedFrames { beginUnderrun(at: content.writtenFrames) }
        if case .stopping = end, !isStarted, isUsable { try? connection.send(pa_stream_cork(stream, 1, nil, nil)) }
        end = .open
    }

    /// Whether a stop waits until the server has drained the stream: a drain is in progress, and at most `lastBlocks` seconds remain to be heard.
    /// PipeWire's timing counts frames as played that PipeWire has not played yet, and a stop would leave these frames unplayed.
    private var playsToEnd: Bool {
        guard case .draining = end else { return false }
        return playhead.heardFrame >= content.writtenFrames - Int64(Double(format.sampleRate) * Self.lastBlocks)
    }

    // MARK: Opening and closing

    /// Connects the PulseAudio stream to a device, without starting the stream. Waits until the stream is ready and its device has been looked up.
    ///
    /// - Parameters:
    ///   - sink: the device that the output was configured for; nil for the server's choice.
    ///   - former: the device of the preceding stream of this sink, to which a user may have moved that stream; nil if there was none. If `sink` is
    ///     nil and the server chooses another device, this stream is moved to `former`. It is not connected to `former` by name, because such a
    ///     stream does not follow later changes of the default device.
    ///   - keepsRate: whether the stream gets the device's sample rate (`rate`) in place of its own.
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
            // Without an explicit volume, the PulseAudio server could restore the volume that a stream of another program had. The volume is relative
            // to the volume of the device.
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
        // The server replies in order, so its name and its default rate arrive before the facts about the device.
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
        }
    }

    /// Calls `request` under the lock, and waits until the function that `request` receives has been called.
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

    /// Handles the loss of the PulseAudio server or of the stream. If the stream was open, `fail` sends one event about the loss; otherwise `connect`
    /// throws the error. The caller holds libpulse's lock.
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

    /// Closes the PulseAudio stream and its mainloop: after the return, libpulse calls no callback. A second call has no effect.
    func close() {
        connection.withLock {
            if case .closed = phase { return }
            phase = .closed
            events = nil
            device.observe(nil)
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

    /// Starts or resumes the PulseAudio stream. The engine's thread calls `start`, without the lock of libpulse's mainloop.
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

    /// Stops the PulseAudio stream, and keeps the content of its buffer. If the last frames are about to be heard while the server drains the stream,
    /// the stop is sent after them (`drained`).
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

    /// Stops the PulseAudio stream and discards the frames that the server has not taken. Resets the source to the lowest discarded frame, and
    /// returns its number.
    func flush() throws(PlaybackError) -> Int64 {
        // The commands for the stop, the flush and the timing are sent together. The server replies in order, so the reply with the timing describes
        // the flushed stream.
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

    /// Calls `commands`, which sends commands to the server, and waits for the reply to the last timing request. If `commands` returns false, it has
    /// sent no timing request, and `perform` does not wait.
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

/// The progress of a stream to the end of all audio. PipeWire plays whole blocks, and plays the rest of the last one only if the stream is drained.
enum StreamEnd {
    /// More frames may follow.
    case open
    /// No more frames follow, and the server is not draining the stream yet.
    case complete
    /// The server drains the stream, and has not replied that all frames were played.
    case draining
    /// The stream was stopped while the server drains it. The stop is sent after the server has replied that all frames were played.
    case stopping
}
