import Glibc
import Platform
public import PlaybackEngine
import Synchronization

/// An audio output that plays on a device of ALSA, without a sound server. A hardware device (`hw:…`) gets stereo at its rate, and unchanged at full
/// volume. If it does not have the rate, ALSA converts until the engine asks for the device's own; if it does not have the number of channels, ALSA
/// always converts.
///
/// A stop is a cut, because ALSA's devices are not rewound. The thread fills the buffer of half a second twice in each buffer.
public final class ALSASink: AudioSink {
    private struct State {
        var stream: ALSAStream?
        var events: (@Sendable (AudioSinkEvent) -> Void)?
        var thread: WorkerThread?
        /// The volume, 0…1; 0 while muted.
        var gain: Float = 1
        var format: DeviceFormat?
        /// The rate of the device, once it has refused another.
        var deviceRate: Int?
    }

    private let device: String
    private let name: String
    private let clock: any HostClock
    private let state = Mutex(State())
    private let cell = PlayheadCell()
    private let wake = WakeSignal()

    init(device: String, name: String, clock: any HostClock) {
        self.device = device
        self.name = name
        self.clock = clock
    }

    deinit { close() }

    public func open(
        _ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        precondition(source.channelCount == format.channelCount, "the source and the stream have the same number of channels")
        close()
        if source.renderedFrames != base { source.reset(to: base) }
        var opened: PCM?
        var failure: PlaybackError?
        do throws(PlaybackError) { opened = try PCM(device, format, converts: false) } catch { failure = error }
        let converts = opened?.sampleRate != format.sampleRate || opened?.channelCount != format.channelCount
        let hardware = opened.map {
            DeviceFormat(
                sampleRate: $0.sampleRate, channels: $0.channelCount, bitsPerSample: $0.encoding.significantBits,
                dither: !converts && $0.encoding.takesDither ? .tpdf : .none)
        }
        if converts {
            // The hardware is closed before ALSA opens it again.
            opened = nil
            do throws(PlaybackError) { opened = try PCM(Self.converting(device), format, converts: true) } catch { throw failure ?? error }
        }
        guard let pcm = opened, pcm.sampleRate == format.sampleRate, pcm.channelCount == format.channelCount else {
            throw .alsa(-EINVAL, "The device \(device) does not take the format.")
        }
        let deviceRate = hardware.flatMap { $0.sampleRate == format.sampleRate ? nil : $0.sampleRate }
        let now = clock.now
        try state.withLock { state throws(PlaybackError) in
            let stream = ALSAStream(pcm, format, source: source, base: base, gain: state.gain, now: now)
            // The new thread first acquires the lock, so it finds the stream that is stored here.
            do throws(SystemError) { state.thread = try WorkerThread(starting: "alsa") { self.run() } } catch { throw .noThread(error) }
            cell.store(stream.playhead)
            state.stream = stream
            state.events = events
            // A device with one rate still has that rate when it was asked for it.
            state.deviceRate = deviceRate ?? state.deviceRate.flatMap { $0 == format.sampleRate ? $0 : nil }
            state.format = hardware
        }
    }

    /// The name of the device with ALSA's conversion. Any device may be hardware under another name (`pcm.!default { type hw }`).
    static func converting(_ device: String) -> String { device.hasPrefix("hw:") ? "plug" + device : "plug:'\(device)'" }

    public func start() throws(PlaybackError) {
        try change { stream, _ in stream.start() }
        wake.raise()
    }

    public func stop() throws(PlaybackError) { try change { stream, now in stream.stop(at: now) } }

    public func flush() throws(PlaybackError) -> Int64 {
        var frame: Int64 = 0
        try change { stream, now in frame = stream.flush(at: now) }
        return frame
    }

    public func sourceDidFill() { wake.raise() }

    public func close() {
        let thread = state.withLock { state in
            defer { (state.thread, state.stream, state.events) = (nil, nil, nil) }
            let now = clock.now
            state.stream?.stop(at: now)
            if let playhead = state.stream?.playhead { cell.store(playhead) }
            return state.thread
        }
        wake.raise()
        thread?.join()
    }

    public func setVolume(_ volume: Float, isMuted: Bool) {
        let gain = isMuted || !(volume > 0) ? 0 : min(volume, 1)
        state.withLock { state in
            state.gain = gain
            state.stream?.setGain(gain)
        }
    }

    public var playhead: Playhead { cell.load() }

    public var requestInterval: Double { state.withLock { $0.stream?.requestInterval ?? 0 } }

    public var description: OutputDescription {
        OutputDescription(
            kind: "alsa", id: device, name: name, connector: OutputConnector(portType: nil, driver: "alsa", bus: nil),
            device: state.withLock { $0.format })
    }

    public var isAudible: Bool { true }

    /// The engine mixes down, because ALSA drops channels without a speaker, and has another order of six channels than the samples.
    public var speakers: ChannelLayout? { .stereo }

    public var sampleRate: Int? { state.withLock { $0.deviceRate } }

    private func change(_ body: (inout ALSAStream, HostTime) -> Void) throws(PlaybackError) {
        let now = clock.now
        try state.withLock { state throws(PlaybackError) in
            guard var stream = state.stream else { throw PlaybackError(.outputUnavailable, "The output is closed.") }
            if let failure = stream.failure { throw failure }
            body(&stream, now)
            cell.store(stream.playhead)
            state.stream = stream
        }
    }

    private func run() {
        while true {
            let now = clock.now
            let (isOpen, events, handler, next) = state.withLock { state in
                guard var stream = state.stream else {
                    return (false, [AudioSinkEvent](), nil as (@Sendable (AudioSinkEvent) -> Void)?, nil as HostTime?)
                }
                let events = stream.step(at: now)
                cell.store(stream.playhead)
                state.stream = stream
                return (true, events, state.events, stream.nextStep(after: now))
            }
            guard isOpen else { return }
            for event in events { handler?(event) }
            if let next { _ = wake.wait(until: next) } else { wake.wait() }
        }
    }
}

extension WaveEncoding {
    /// The bits of a sample that are kept; 24 for floats and for 32 bits, because the engine's samples have no more.
    fileprivate var significantBits: Int { min(24, bytesPerSample * 8) }
}
