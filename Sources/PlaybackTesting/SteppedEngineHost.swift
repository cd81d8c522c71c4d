public import Platform
public import PlaybackEngine
import Synchronization

/// A real engine without threads, which the test steps.
///
/// `@unchecked Sendable`: only the test that created the engine uses it.
public final class SteppedEngine: EngineHandle, @unchecked Sendable {
    private let assembly: EngineAssembly
    private let openings = Openings()
    private var settings = EngineSettings()

    /// Delays openings, as on a slow network, while the engine is stepped.
    public func holdOpens() { openings.held.withLock { $0 = $0 ?? [] } }
    /// Runs the delayed openings. Later openings are not delayed either.
    public func releaseOpens() {
        let jobs = openings.held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for job in jobs { job.run() }
    }

    /// The delayed openings; `held` is nil if openings are not delayed.
    private final class Openings: Sendable {
        let held = Mutex<[Opening]?>(nil)
        func run(_ job: Opening) {
            let isHeld = held.withLock { held in
                held?.append(job)
                return held != nil
            }
            if !isHeld { job.run() }
        }
    }

    public init(
        opener: any MediaOpener, output: (any OutputProvider)?, clock: any HostClock, events: @escaping @Sendable (EngineEvent) -> Void
    ) {
        assembly = EngineAssembly(
            opener: opener, output: output, hostClock: clock, makePitch: { _, format in NearestPitch(channelCount: format.channelCount) },
            wakeEngine: {}, wakeFeeder: {}, runOpen: { [openings] in openings.run($0) }, events: events)
    }

    public var clock: HeardClock { assembly.clock }
    public func post(_ command: EngineCommand) { assembly.post(command) }
    /// Sends a command. A changed setting is sent together with all others. The engine is not stepped.
    public func send(_ command: TestCommand) {
        switch command {
        case .engine(let command): assembly.post(command)
        case .setting(let change):
            change(&settings)
            assembly.post(.configure(settings))
        }
    }
    public func shutDown() { assembly.close() }

    /// Steps the engine and its feeder (the part that reads media). Returns false if both were idle.
    public func step() -> Bool {
        let engine = assembly.stepEngine()
        let feeder = assembly.stepFeeder()
        return engine || feeder
    }
    /// Steps only the engine, as if a reader blocked the feeder. Returns false if the engine was idle.
    @discardableResult public func stepEngine() -> Bool { assembly.stepEngine() }
    /// Steps the engine and the feeder until both are idle.
    public func settle() {
        var steps = 0
        while step() {
            steps += 1
            precondition(steps < 1_000_000, "the engine does not become idle")
        }
    }
}

/// Starts stepped engines and retains them.
public final class SteppedEngineHost: EngineHost {
    private let clock: any HostClock
    private let started = Mutex<[SteppedEngine]>([])

    public init(clock: any HostClock) { self.clock = clock }

    public var engines: [SteppedEngine] { started.withLock { $0 } }

    public func start(
        opener: any MediaOpener, output: (any OutputProvider)?, events: @escaping @Sendable (EngineEvent) -> Void
    ) -> any EngineHandle {
        let engine = SteppedEngine(opener: opener, output: output, clock: clock, events: events)
        started.withLock { $0.append(engine) }
        return engine
    }
}

/// A command of the engine, or a new value of one setting.
public enum TestCommand: Sendable {
    case engine(EngineCommand)
    case setting(@Sendable (inout EngineSettings) -> Void)

    public static func load(_ request: LoadRequest) -> TestCommand { .engine(.load(request)) }
    public static var unload: TestCommand { .engine(.unload) }
    public static func setUpcoming(_ requests: [LoadRequest], after item: ItemID) -> TestCommand { .engine(.setUpcoming(requests, after: item)) }
    public static var advance: TestCommand { .engine(.advance) }
    public static func seek(_ request: SeekRequest) -> TestCommand { .engine(.seek(request)) }
    public static func setRunning(_ isRunning: Bool) -> TestCommand { .engine(.setRunning(isRunning)) }
    public static func setLoop(_ range: LoopRange?, _ item: ItemID) -> TestCommand { .engine(.setLoop(range, item)) }
    public static func awaitStart(_ host: HostTime) -> TestCommand { .engine(.awaitStart(host)) }
    public static var meetStart: TestCommand { .engine(.meetStart) }
    public static func open(_ sink: CaptureSink, by cause: OutputChangeCause = .lost) -> TestCommand {
        .engine(.openOutput(CaptureOutputProvider(sink), by: cause))
    }

    public static func setRate(_ rate: Double) -> TestCommand { .setting { $0.rate = rate } }
    public static func setCrossfade(_ seconds: Double) -> TestCommand { .setting { $0.crossfade = seconds } }
    public static func setLoudness(_ mode: LoudnessMode) -> TestCommand { .setting { $0.loudness = mode } }
    public static func setRole(_ role: StreamRole) -> TestCommand { .setting { $0.role = role } }
    public static func setForwardBuffer(_ seconds: Double) -> TestCommand { .setting { $0.forwardBuffer = seconds } }
}
