import Platform
public import PlaybackEngine
import Synchronization

/// A medium that a scripted engine can open.
public struct ScriptedMedium: Sendable {
    public var info: MediaInfo
    /// The error with which opening the medium fails; nil if the medium can be opened.
    public var failure: PlaybackError?
    /// Whether opening the medium waits until the test calls `ScriptedEngine.open(_:)`.
    public var isHeld: Bool

    /// Creates a scripted medium with 1,000 frames per second.
    /// - Parameter seconds: The duration of the medium, in seconds; nil for an unknown duration. If the duration is unknown, the engine renders an
    ///   hour.
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

/// An engine for tests of the player, which records every command. Either the test sets the timeline and the playhead and emits events, or the
/// scripted engine acts like an ideal engine. The ideal engine opens and renders the items in `media` in no time, and its device has no latency. The
/// media and the device of a scripted engine have 1,000 frames per second.
public final class ScriptedEngine: EngineHandle {
    struct State {
        var commands: [EngineCommand] = []
        var isShutDown = false
        var media: [String: ScriptedMedium] = [:]
        var isAutomatic = true
        /// Whether each seek waits until the test calls `completeSeek` or `failSeek`.
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
    public let clock: PlaybackClock
    public let sink = ScriptedSink()

    init(hostClock: VirtualClock, media: [String: ScriptedMedium], events: @escaping @Sendable (EngineEvent) -> Void) {
        self.hostClock = hostClock
        self.events = events
        clock = PlaybackClock(clock: hostClock)
        var state = State()
        state.media = media
        self.state = Mutex(state)
        clock.publish(Timeline(sampleRate: 1_000))
        clock.publish(sink: sink)
    }

    // MARK: Records

    /// All commands that the scripted engine has received, in order.
    public var commands: [EngineCommand] { state.withLock { $0.commands } }
    /// Returns the values to which commands changed one setting of the engine, in order. Commands that changed only other settings add no value to
    /// the array.
    public func values<Value: Equatable>(of setting: (EngineSettings) -> Value) -> [Value] {
        var last = setting(EngineSettings())
        return commands.compactMap { command in
            guard case .configure(let settings) = command, setting(settings) != last else { return nil }
            last = setting(settings)
            return last
        }
    }
    public var isShutDown: Bool { state.withLock { $0.isShutDown } }
    /// The scripted engine's current item: the item that was loaded last, or to which the engine has advanced. If an upcoming item is heard when the
    /// command `setUpcoming` arrives, that item becomes the current one. Nil if there is none.
    public var currentItem: ItemID? { state.withLock { $0.current?.item } }
    public var upcomingItems: [ItemID] { state.withLock { $0.upcoming.map(\.item) } }

    // MARK: Control

    /// Whether the engine acts like an ideal engine. An engine that does not act like an ideal engine only records commands.
    public var isAutomatic: Bool {
        get { state.withLock { $0.isAutomatic } }
        set { state.withLock { $0.isAutomatic = newValue } }
    }
    /// Whether each seek waits until the test calls `completeSeek(landed:)` or `failSeek()`.
    public var holdsSeeks: Bool {
        get { state.withLock { $0.holdsSeeks } }
        set { state.withLock { $0.holdsSeeks = newValue } }
    }

    /// The time, in seconds, from the start of the device until its audio is heard.
    public var startLatency: Double {
        get { state.withLock { $0.startLatency } }
        set { state.withLock { $0.startLatency = newValue } }
    }

    /// Emits an event of the scripted engine, like the thread of a real engine.
    public func emit(_ event: EngineEvent) { events(event) }

    /// Publishes a timeline without emitting an event.
    public func setTimeline(_ timeline: Timeline) {
        state.withLock { $0.timeline = timeline }
        clock.publish(timeline)
    }
    public var timeline: Timeline { state.withLock { $0.timeline } }

    /// Publishes a timeline in which only the next `frames` frames after the heard frame are rendered, without emitting an event.
    ///
    /// - Parameter isFinal: Whether the last item ends with these frames, as after an error. Otherwise the item continues after an underrun.
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

/// Starts scripted engines, one for each player.
public final class ScriptedEngineHost: EngineHost {
    private let clock: VirtualClock
    private let state = Mutex<(engines: [ScriptedEngine], media: [String: ScriptedMedium], outputs: [any OutputProvider])>(([], [:], []))

    public init(clock: VirtualClock) { self.clock = clock }

    /// The engines that were started so far, in order.
    public var engines: [ScriptedEngine] { state.withLock { $0.engines } }
    /// The outputs with which the newest engine was started.
    public var lastOutputs: [any OutputProvider] { state.withLock { $0.outputs } }
    /// Adds a medium to all scripted engines, including engines that are started later.
    public func setMedium(_ medium: ScriptedMedium, at path: String) {
        let engines = state.withLock { state in
            state.media[path] = medium
            return state.engines
        }
        for engine in engines { engine.setMedium(medium, at: path) }
    }

    public func start(
        opener: any MediaOpener, outputs: [any OutputProvider], events: @escaping @Sendable (EngineEvent) -> Void
    ) -> any EngineHandle {
        state.withLock { state in
            let engine = ScriptedEngine(hostClock: clock, media: state.media, events: events)
            state.engines.append(engine)
            state.outputs = outputs
            return engine
        }
    }
}
