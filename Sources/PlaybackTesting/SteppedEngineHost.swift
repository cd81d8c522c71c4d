public import Platform
public import PlaybackEngine
import Synchronization

/// A real engine without threads: the test performs the steps of the engine and of the feeder.
///
/// `@unchecked Sendable`: only the test that created the engine uses it.
public final class SteppedEngine: EngineHandle, @unchecked Sendable {
    private let assembly: EngineAssembly
    private let openings = Openings()
    private var settings = EngineSettings()

    /// Delays the opening of all further media, as on a slow network, while the test continues to step the engine.
    public func holdOpens() { openings.held.withLock { $0 = $0 ?? [] } }
    /// Runs the delayed openings of media, and ends the delay of later openings.
    public func releaseOpens() {
        let jobs = openings.held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for job in jobs { job.run() }
    }

    /// The delayed openings of media; nil if openings are not delayed.
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
        opener: any MediaOpener, outputs: [any OutputProvider], clock: any HostClock, events: @escaping @Sendable (EngineEvent) -> Void
    ) {
        assembly = EngineAssembly(
            opener: opener, outputs: outputs, hostClock: clock, makePitch: { _, format in NearestPitch(channelCount: format.channelCount) },
            wakeEngine: {}, wakeFeeder: {}, runOpen: { [openings] in openings.run($0) }, events: events)
    }

    public var clock: PlaybackClock { assembly.clock }
    public func post(_ command: EngineCommand) { assembly.post(command) }
    /// Posts a command to the engine. A changed setting is posted with all other settings. The function `send` does not step the engine.
    public func send(_ command: TestCommand) {
        switch command {
        case .engine(let command): assembly.post(command)
        case .setting(let change):
            change(&settings)
            assembly.post(.configure(settings))
        }
    }
    public func shutDown() { assembly.close() }

    /// Performs one step of the engine and one step of the feeder. Returns false if both were idle.
    public func step() -> Bool {
        let engine = assembly.stepEngine()
        let feeder = assembly.stepFeeder()
        return engine || feeder
    }
    /// Performs one step of the engine alone, as if a reader blocked the feeder. Returns false if the engine was idle.
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
        opener: any MediaOpener, outputs: [any OutputProvider], events: @escaping @Sendable (EngineEvent) -> Void
    ) -> any EngineHandle {
        let engine = SteppedEngine(opener: opener, outputs: outputs, clock: clock, events: events)
        started.withLock { $0.append(engine) }
        return engine
    }
}
