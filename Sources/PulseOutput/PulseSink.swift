import CPulse
import Platform
public import PlaybackEngine
import Synchronization

/// An audio output that plays through a PulseAudio server (or PipeWire's).
///
/// The stream is stopped and resumed by PulseAudio's command "cork". Volume and mute are set on the server's stream, in the steps of a ramp, so a
/// change is heard at once although the buffer is 2 s long (R-VOL-02). `open`, `start`, `stop`, `hold`, `replace` and `flush` wait for replies, at
/// most 2 s each; volume, mute and role do not.
///
/// Events are sent on libpulse's thread with the lock held: the handler forwards them without blocking, and must not call the sink.
public final class PulseSink: AudioSink {
    private struct State {
        var stream: PulseStream?
        var device = PulseDevice(name: "", description: "PulseAudio")
        var volume: Float = 1
        var isMuted = false
        var role = StreamRole.music
        /// What the last closed stream has found out about the rewinding of its device.
        var rewinding: (device: String, what: Rewinding)?
        /// Whether the stream gets the device's rate at the first opening (`setKeepsRate`).
        var keepsRate = false
        /// The rate of the server's stream, in frames per second; nil if it is the rate of the opened format.
        var streamRate: Int?
        /// Whether another program was playing when the stream was opened.
        var isShared = false
        /// The time between two requests of the server for frames, in seconds.
        var requestInterval = 0.0
    }

    private let server: String?
    private let sinkName: String?
    private let applicationName: String
    private let patience: Double
    private let clocks: ServerClocks
    private let state = Mutex(State())
    private let cell = PlayheadCell()

    init(server: String?, sinkName: String?, applicationName: String, patience: Double, clocks: ServerClocks) {
        self.server = server
        self.sinkName = sinkName
        self.applicationName = applicationName
        self.patience = patience
        self.clocks = clocks
        if let sinkName { state.withLock { $0.device.name = sinkName } }
    }

    /// Only a test that fails gets here with an open sink.
    deinit { close() }

    public func open(
        _ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        precondition(source.channelCount == format.channelCount, "the source must have as many channels as the stream")
        close()
        let deadline = MonotonicClock().now + patience
        let (volume, isMuted, role, known) = state.withLock { ($0.volume, $0.isMuted, $0.role, $0.rewinding) }
        let keepsRate = known == nil && state.withLock { $0.keepsRate }
        if source.renderedFrames != base { source.reset(to: base) }
        let connection = try PulseConnection(applicationName: applicationName, patience: patience)
        let stream: PulseStream
        do {
            try connection.connect(to: server, until: deadline)
            stream = try PulseStream(
                connection: connection, format: format, source: source, base: base, cell: cell, role: role, clocks: clocks, events: events)
        } catch {
            connection.close()
            throw error
        }
        do {
            try stream.connect(
                to: sinkName == nil ? nil : known?.device ?? sinkName, continuing: known?.device, volume: volume, isMuted: isMuted,
                keepsRate: keepsRate, until: deadline)
        } catch {
            stream.close()
            throw error
        }
        let (device, rate, interval) = connection.withLock {
            stream.device.observe { [weak self] device in self?.state.withLock { $0.device = device } }
            if let known, known.device == stream.device.name { stream.rewinder.adopt(known.what) }
            return (stream.device.found, stream.rate, stream.requestInterval)
        }
        state.withLock {
            $0.stream = stream
            $0.device = device
            // PipeWire gives the stream the rate of the format even then, and converts.
            $0.streamRate = keepsRate && rate != format.sampleRate ? rate : nil
            $0.isShared = device.isRunning
            $0.requestInterval = interval
        }
        // If the engine cannot render at the device's rate, the stream is opened again at the rate of the format, and the server converts.
        if keepsRate, rate != format.sampleRate, !AudioFormat.playableRates.contains(rate) {
            try open(format, source: source, base: base, events: events)
        }
    }

    public func start() throws(PlaybackError) { try opened().start() }

    public func stop() throws(PlaybackError) { try opened().stop() }

    public func hold() throws(PlaybackError) -> Int64? { try opened().hold() }

    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { try opened().replace(from: frame) }

    public func flush() throws(PlaybackError) -> Int64 { try opened().flush() }

    public func sourceDidFill() {
        guard let stream = state.withLock({ $0.stream }) else { return }
        stream.connection.withLock { stream.continueAfterEnd() }
    }

    public func sourceDidEnd() {
        guard let stream = state.withLock({ $0.stream }) else { return }
        stream.connection.withLock { stream.drain() }
    }

    public func close() {
        let stream = state.withLock { state in
            defer { state.stream = nil }
            return state.stream
        }
        guard let stream else { return }
        let known = stream.connection.withLock { (stream.device.name, stream.rewinder.knowledge.ofDevice) }
        state.withLock { $0.rewinding = known }
        stream.close()
    }

    public func setVolume(_ volume: Float, isMuted: Bool) {
        let stream = state.withLock { state in
            state.volume = volume
            state.isMuted = isMuted
            return state.stream
        }
        stream?.setVolume(volume, isMuted: isMuted)
    }

    public func setRole(_ role: StreamRole) {
        let stream = state.withLock { state -> PulseStream? in
            defer { state.role = role }
            return state.role == role ? nil : state.stream
        }
        stream?.setRole(role)
    }

    public var playhead: Playhead { cell.load() }

    public var latency: Double { cell.latency }

    public var requestInterval: Double { state.withLock { $0.stream == nil ? 0 : $0.requestInterval } }

    public var deviceVolume: Float { state.withLock { $0.device }.volume }

    public var description: OutputDescription { state.withLock { $0.device }.output }

    public var isAudible: Bool { state.withLock { $0.device.isAudible } }

    public var speakers: ChannelLayout? { state.withLock { $0.stream == nil ? nil : $0.device.speakers } }

    public var sampleRate: Int? { state.withLock { $0.stream == nil ? nil : $0.streamRate ?? $0.device.sampleRate } }

    public var isShared: Bool { state.withLock { $0.isShared } }

    public func setKeepsRate(_ keepsRate: Bool) { state.withLock { $0.keepsRate = keepsRate } }

    private func opened() throws(PlaybackError) -> PulseStream {
        guard let stream = state.withLock({ $0.stream }) else {
            throw .pulse(Int32(PA_ERR_BADSTATE.rawValue), "The output is closed.")
        }
        return stream
    }
}
