import Dispatch
import PlaybackEngine

/// The engine of a player with its settings, its output and its counters. The engine is started when the player gets its first item.
@MainActor final class PlayerEngine {
    private var lease: EngineLease?
    /// The settings of playback that the engine has, or will have after its start.
    private(set) var settings = EngineSettings()
    /// Whether the user mutes the player.
    private(set) var isMuted = false
    /// Whether the audio session mutes the player (R-LNX-22).
    private var isMutedBySession = false
    /// The outputs of `setOutputs`; nil means the outputs of the environment.
    private var chosenOutputs: [any OutputProvider]?
    private(set) var output: OutputDescription?
    /// The error of the last output if that output was lost and no audible output has replaced it, or if no output could be opened; otherwise nil.
    private(set) var outputError: PlaybackError?
    private(set) var figures = EngineFigures()

    // MARK: Running

    var isStarted: Bool { lease != nil }
    /// The engine's clock; nil before its start.
    var clock: PlaybackClock? { lease?.engine.clock }

    /// Starts the engine. Returns the engine's clock.
    ///
    /// - Parameter onEvent: The engine calls this function with each event, on the engine's thread.
    func start(in environment: PlaybackEnvironment, onEvent: @escaping @Sendable (EngineEvent) -> Void) -> PlaybackClock {
        let outputs = chosenOutputs ?? environment.outputs
        let engine = environment.engineHost.start(opener: environment.opener, outputs: outputs, events: onEvent)
        lease = EngineLease(engine)
        return engine.clock
    }

    /// Sends a command, if the engine has been started.
    func post(_ command: EngineCommand) { lease?.engine.post(command) }

    /// Ends the engine and closes the device; blocks until both are done, at most two seconds.
    func shutDown() {
        let former = lease
        lease = nil
        former?.engine.shutDown()
    }

    /// Ends the engine in the background, without waiting for its end.
    func release() { lease = nil }

    // MARK: Settings

    /// Changes the settings, without sending them to the engine.
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

    /// Sets the outputs that are tried, in this order.
    func choose(_ outputs: [any OutputProvider]) {
        chosenOutputs = outputs
        post(.setOutputs(outputs))
    }

    // MARK: Events

    func setOutput(_ new: OutputDescription?, error: PlaybackError?) { (output, outputError) = (new, error) }
    func skippedPackets(_ count: Int, of item: ItemID) { figures.noteSkipped(count, of: item) }
    func underran() { figures.noteUnderrun() }
}

/// The owner of a running engine. It ends the engine in the background when the player is released.
private final class EngineLease: Sendable {
    let engine: any EngineHandle
    init(_ engine: any EngineHandle) { self.engine = engine }
    deinit {
        let engine = engine
        DispatchQueue.global().async { engine.shutDown() }
    }
}
