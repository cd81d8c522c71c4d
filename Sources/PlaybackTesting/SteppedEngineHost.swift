public import PlaybackEngine
import Synchronization

/// An engine without threads: the test steps it.
///
/// `@unchecked Sendable`: used by the one test that made it.
public final class SteppedEngine: EngineHandle, @unchecked Sendable {
    private let assembly: EngineAssembly

    public init(
        opener: any MediaOpener, outputs: [any OutputProvider], clock: any HostClock, events: @escaping @Sendable (EngineEvent) -> Void
    ) {
        assembly = EngineAssembly(
            opener: opener, outputs: outputs, hostClock: clock, makePitch: { _, format in NearestPitch(channelCount: format.channelCount) },
            wakeEngine: {}, wakeFeeder: {}, runOpen: { $0() }, events: events)
    }

    public var clock: PlaybackClock { assembly.clock }
    public func post(_ command: EngineCommand) { assembly.post(command) }
    public func shutDown() { assembly.close() }

    /// One step of each; false where neither had anything to do.
    public func step() -> Bool {
        let engine = assembly.stepEngine()
        let feeder = assembly.stepFeeder()
        return engine || feeder
    }
    /// Steps until nothing is left to do.
    public func settle() {
        var steps = 0
        while step() {
            steps += 1
            precondition(steps < 1_000_000, "the engine never comes to rest")
        }
    }
}

/// Starts stepped engines and remembers them.
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
