import Dispatch
import PlaybackEngine

/// The engine of a player: how it plays, its output, and its counters. The engine starts with the first item.
@MainActor final class PlayerEngine {
    private var lease: EngineLease?
    /// How the engine plays, or will play after its start.
    private(set) var settings = EngineSettings()
    /// Whether the user mutes the player.
    private(set) var isMuted = false
    /// Whether the audio session mutes the player (R-LNX-22).
    private var isMutedBySession = false
    /// The outputs of `setOutputs`; nil for those of the environment.
    private var chosenOutputs: [any OutputProvider]?
    private(set) var output: OutputDescription?
    /// The error of the last output, if it was lost and no audible one replaced it, or if no output could be opened.
    private(set) var outputError: PlaybackError?
    private(set) var figures = EngineFigures()

    // MARK: Running

    var isStarted: Bool { lease != nil }
    /// The engine's clock; nil before its start.
    var clock: PlaybackClock? { lease?.engine.clock }

    /// Starts the engine. Returns its clock.
    ///
    /// - Parameter onEvent: called on the engine's thread.
    func start(in environment: PlaybackEnvironment, onEvent: @escaping @Sendable (EngineEvent) -> Void) -> PlaybackClock {
        let outputs = chosenOutputs ?? environment.outputs
        let engine = environment.engineHost.start(opener: environment.opener, outputs: outputs, events: onEvent)
        lease = EngineLease(engine)
        return engine.clock
    }

    /// Sends a command, if the engine has been started.
    func post(_ command: EngineCommand) { lease?.engine.post(command) }

    /// Ends the engine and closes the device; blocks until that is done, at most two seconds.
    func shutDown() {
        let former = lease
        lease = nil
        former?.engine.shutDown()
    }

    /// Ends the engine in the background.
    func release() { lease = nil }

    // MARK: Settings

    /// Changes the settings, without sending them.
    func change(_ body: (inout EngineSettings) -> Void) { body(&settings) }

    /// Sets the user's mute. Returns whether the engine is muted.
    func mute(byUser: Bool) -> Bool {
        isMuted = byUser
        return isMuted || isMutedBySession
    }

    /// Sets the session's mute. Returns whether the engine is muted.
    func mute(bySession: Bool) -> Bool {
        isMutedBySession = bySession
        return isMuted || isMutedBySession
    }

    /// Sets the outputs to use, in order.
    func choose(_ outputs: [any OutputProvider]) {
        chosenOutputs = outputs
        post(.setOutputs(outputs))
    }

    // MARK: Events

    func setOutput(_ new: OutputDescription?, error: PlaybackError?) { (output, outputError) = (new, error) }
    func skippedPackets(_ count: Int, of item: ItemID) { figures.noteSkipped(count, of: item) }
    func underran() { figures.noteUnderrun() }
}

/// Owns a running engine: ends it in the background when its player is dropped.
private final class EngineLease: Sendable {
    let engine: any EngineHandle
    init(_ engine: any EngineHandle) { self.engine = engine }
    deinit {
        let engine = engine
        DispatchQueue.global().async { engine.shutDown() }
    }
}
