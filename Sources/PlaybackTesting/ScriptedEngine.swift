import Platform
public import PlaybackEngine
import Synchronization

/// A medium for a scripted engine.
public struct ScriptedMedium: Sendable {
    public var info: MediaInfo
    /// The error with which opening fails.
    public var failure: PlaybackError?
    /// Whether opening waits for `ScriptedEngine.open(_:)`.
    public var isHeld: Bool

    /// Creates a medium of 1,000 frames per second. If `seconds` is nil, its duration is unknown, and an hour is rendered.
    public init(
        seconds: Double?, isSeekable: Bool = true, isLive: Bool = false, isEstimated: Bool = false, metadata: [MetadataEntry] = [],
        artwork: Artwork? = nil, failure: PlaybackError? = nil, isHeld: Bool = false
    ) {
        let frames = Int64(((seconds ?? 0) * 1_000).rounded())
        let duration: MediaDuration =
            seconds == nil ? .unknown : isEstimated ? .estimated(frames: frames, sampleRate: 1_000) : .exact(frames: frames, sampleRate: 1_000)
        info = MediaInfo(
            containerName: "wav", codecName: "pcm_s16le", format: AudioFormat(sampleRate: 1_000, channelLayout: .stereo), bitsPerSample: 16,
            duration: duration, isSeekable: isSeekable, isLive: isLive, metadata: metadata, artwork: artwork)
        self.failure = failure
        self.isHeld = isHeld
    }

    var frames: Int64 {
        if case .exact(let frames, _) = info.duration { frames } else if case .estimated(let frames, _) = info.duration { frames } else { 3_600_000 }
    }
}

extension MediaSource {
    /// The path or URL by which tests name a medium.
    var name: String {
        switch location {
        case .file(let path): path.text
        case .remote(let url): url
        }
    }
}

/// An engine that records every command. Either the test sets the timeline and the playhead and emits events, or the engine acts like an ideal one
/// without latency. It renders 1,000 frames per second.
public final class ScriptedEngine: EngineHandle {
    struct State {
        var commands: [EngineCommand] = []
        var isShutDown = false
        var media: [String: ScriptedMedium] = [:]
        var isAutomatic = true
        /// Whether seeks wait for `completeSeek` or `failSeek`.
        var holdsSeeks = false
        var heldSeek: SeekRequest?
        var current: LoadRequest?
        var upcoming: [LoadRequest] = []
        var opened: Set<ItemID> = []
        var failed: Set<ItemID> = []
        var rate = 1.0
        var startLatency = 0.0
        var timeline = Timeline(sampleRate: 1_000)
    }
    let state: Mutex<State>
    let hostClock: VirtualClock
    private let events: @Sendable (EngineEvent) -> Void
    public let clock: HeardClock
    public let sink = ScriptedSink()

    init(hostClock: VirtualClock, media: [String: ScriptedMedium], events: @escaping @Sendable (EngineEvent) -> Void) {
        self.hostClock = hostClock
        self.events = events
        clock = HeardClock(clock: hostClock)
        var state = State()
        state.media = media
        self.state = Mutex(state)
        clock.publish(Timeline(sampleRate: 1_000))
        clock.publish(sink: sink)
    }

    // MARK: Records

    /// The commands that the engine received, in order.
    public var commands: [EngineCommand] { state.withLock { $0.commands } }
    /// The values of a setting in order, only from commands that changed the setting.
    public func values<Value: Equatable>(of setting: (EngineSettings) -> Value) -> [Value] {
        var last = setting(EngineSettings())
        return commands.compactMap { command in
            guard case .configure(let settings) = command, setting(settings) != last else { return nil }
            last = setting(settings)
            return last
        }
    }
    public var isShutDown: Bool { state.withLock { $0.isShutDown } }
    /// The item that was loaded last, or to which the player advanced. A `setUpcoming` makes an upcoming item that is heard the current one.
    public var currentItem: ItemID? { state.withLock { $0.current?.item } }
    public var upcomingItems: [ItemID] { state.withLock { $0.upcoming.map(\.item) } }

    // MARK: Control

    /// Whether the engine carries out commands; otherwise it only records them.
    public var isAutomatic: Bool {
        get { state.withLock { $0.isAutomatic } }
        set { state.withLock { $0.isAutomatic = newValue } }
    }
    /// Whether seeks wait for `completeSeek(landed:)` or `failSeek()`.
    public var holdsSeeks: Bool {
        get { state.withLock { $0.holdsSeeks } }
        set { state.withLock { $0.holdsSeeks = newValue } }
    }

    /// The time from a start until audio is heard, in seconds.
    public var startLatency: Double {
        get { state.withLock { $0.startLatency } }
        set { state.withLock { $0.startLatency = newValue } }
    }

    /// Sends an event, like a real engine's thread.
    public func emit(_ event: EngineEvent) { events(event) }

    /// Sets the timeline without an event.
    public func setTimeline(_ timeline: Timeline) {
        state.withLock { $0.timeline = timeline }
        clock.publish(timeline)
    }
    public var timeline: Timeline { state.withLock { $0.timeline } }

    /// Ends the timeline without an event: only `frames` frames after the heard one are rendered. If `isFinal`, the last item ends there, as after an
    /// error; otherwise it continues after an underrun.
    public func cutTimeline(after frames: Int64 = 0, isFinal: Bool = false) {
        var timeline = timeline
        let last = timeline.segments.count - 1
        timeline.written = clock.now().frame + frames
        timeline.segments[last].end = isFinal ? timeline.written : nil
        timeline.segments[last].reachesEndOfItem = false
        setTimeline(timeline)
    }

    public func setMedium(_ medium: ScriptedMedium, at path: String) { state.withLock { $0.media[path] = medium } }

    public func post(_ command: EngineCommand) {
        let isAutomatic = state.withLock { state in
            state.commands.append(command)
            return state.isAutomatic
        }
        if isAutomatic { perform(command) }
    }

    public func shutDown() { state.withLock { $0.isShutDown = true } }
}

/// A host that starts one scripted engine for each player.
public final class ScriptedEngineHost: EngineHost {
    private let clock: VirtualClock
    private let state = Mutex<(engines: [ScriptedEngine], media: [String: ScriptedMedium], output: (any OutputProvider)?)>(([], [:], nil))

    public init(clock: VirtualClock) { self.clock = clock }

    /// The engines in the order of their starts.
    public var engines: [ScriptedEngine] { state.withLock { $0.engines } }
    public var lastOutput: (any OutputProvider)? { state.withLock { $0.output } }
    /// Sets a medium for all engines, also later ones.
    public func setMedium(_ medium: ScriptedMedium, at path: String) {
        let engines = state.withLock { state in
            state.media[path] = medium
            return state.engines
        }
        for engine in engines { engine.setMedium(medium, at: path) }
    }

    public func start(
        opener: any MediaOpener, output: (any OutputProvider)?, events: @escaping @Sendable (EngineEvent) -> Void
    ) -> any EngineHandle {
        state.withLock { state in
            let engine = ScriptedEngine(hostClock: clock, media: state.media, events: events)
            state.engines.append(engine)
            state.output = output
            return engine
        }
    }
}

/// An output that takes no frames; the test sets the playhead and the times.
public final class ScriptedSink: AudioSink {
    private let current: Mutex<Playhead>
    private let times = Mutex((latency: 0.0, interval: 0.0))
    private let volume = Mutex(Float(1))
    public let description: OutputDescription

    public init(description: OutputDescription = OutputDescription(kind: "null", id: "scripted", name: "Scripted output")) {
        self.description = description
        current = Mutex(Playhead(frame: 0, hostTime: HostTime(nanoseconds: 0), isRunning: false))
    }

    public var playhead: Playhead {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
    public var latency: Double {
        get { times.withLock { $0.latency } }
        set { times.withLock { $0.latency = newValue } }
    }
    public var requestInterval: Double {
        get { times.withLock { $0.interval } }
        set { times.withLock { $0.interval = newValue } }
    }
    public var deviceVolume: Float {
        get { volume.withLock { $0 } }
        set { volume.withLock { $0 = newValue } }
    }
    public var isAudible: Bool { false }

    public func open(_ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) {}
    public func start() {}
    public func stop() {}
    public func flush() -> Int64 { playhead.frame }
    public func sourceDidFill() {}
    public func close() {}
    public func setVolume(_ volume: Float, isMuted: Bool) {}
}
