public import Platform
import Synchronization

/// Starts engines. In production an engine runs on threads; in tests the test steps it.
public protocol EngineHost: Sendable {
    /// `events` is called on the engine's thread.
    func start(opener: any MediaOpener, output: (any OutputProvider)?, events: @escaping @Sendable (EngineEvent) -> Void) -> any EngineHandle
}

/// A running engine. `Sendable`, because commands pass through a mailbox.
public protocol EngineHandle: AnyObject, Sendable {
    /// Sends a command to the engine; never blocks.
    func post(_ command: EngineCommand)
    var clock: HeardClock { get }
    /// Ends the engine; returns after the threads have ended and the device is closed, at most two seconds later. Further calls have no effect.
    func shutDown()
}

/// Runs each engine on two threads: one for audio and the device, and one for media. Both sleep while they have no work. Media are opened on
/// temporary threads.
public struct ThreadedEngineHost: EngineHost {
    private let clock: any HostClock
    private let makePitch: @Sendable (PitchAlgorithm, AudioFormat) -> any TimePitch

    public init(clock: any HostClock = MonotonicClock(), makePitch: @escaping @Sendable (PitchAlgorithm, AudioFormat) -> any TimePitch) {
        self.clock = clock
        self.makePitch = makePitch
    }

    public func start(
        opener: any MediaOpener, output: (any OutputProvider)?, events: @escaping @Sendable (EngineEvent) -> Void
    ) -> any EngineHandle {
        let engineThread = StepThread()
        let feederThread = StepThread()
        let openingThreads = OpeningThreads()
        let assembly = EngineAssembly(
            opener: opener, output: output, hostClock: clock, makePitch: makePitch, wakeEngine: { engineThread.wake() },
            wakeFeeder: { feederThread.wake() }, runOpen: { openingThreads.run($0) }, events: events)
        engineThread.start(name: "engine") { assembly.stepEngine() }
        feederThread.start(name: "feeder") { assembly.stepFeeder() }
        return ThreadedEngine(assembly: assembly, engineThread: engineThread, feederThread: feederThread, openingThreads: openingThreads)
    }
}

/// An engine whose threads end when the last reference is released.
private final class ThreadedEngine: EngineHandle {
    private let assembly: EngineAssembly
    private let engineThread: StepThread
    private let feederThread: StepThread
    private let openingThreads: OpeningThreads
    private let isShutDown = Atomic<Bool>(false)

    init(assembly: EngineAssembly, engineThread: StepThread, feederThread: StepThread, openingThreads: OpeningThreads) {
        self.assembly = assembly
        self.engineThread = engineThread
        self.feederThread = feederThread
        self.openingThreads = openingThreads
    }

    deinit { shutDown() }

    var clock: HeardClock { assembly.clock }

    func post(_ command: EngineCommand) { assembly.post(command) }

    func shutDown() {
        guard !isShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        assembly.interruptReads()
        engineThread.stop()
        feederThread.stop()
        openingThreads.stop()
        assembly.close()
    }
}
