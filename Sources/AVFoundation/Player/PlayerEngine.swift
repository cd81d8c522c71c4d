import Dispatch
import PlaybackEngine

/// The engine of a player with its settings, its output and its counters. The engine is started when the player has its first item.
@MainActor final class PlayerEngine {
    private var lease: EngineLease?
    /// The settings of playback that the player's engine has, or will have after its start.
    private(set) var settings = EngineSettings()
    /// Whether the user mutes the player.
    private(set) var isMuted = false
    /// Whether the audio session mutes the player (R-LNX-22).
    private var isMutedBySession = false
    /// The outputs that the program has set (`setOutputs`); nil means the outputs of the environment.
    private var chosenOutputs: [any OutputProvider]?
    private(set) var output: OutputDescription?
    /// The format in which the output was opened last; nil before the first output is open.
    private(set) var outputFormat: AudioFormat?
    /// The error of the output that was lost, or that could not be opened; nil if no output has failed. The error becomes nil when an audible output,
    /// or an output that the user has chosen, is opened.
    private(set) var outputError: PlaybackError?
    private(set) var figures = EngineFigures()

    // MARK: Running

    var isStarted: Bool { lease != nil }
    /// The playback clock of the engine; nil before the engine's start.
    var clock: PlaybackClock? { lease?.engine.clock }

    /// Starts the player's engine. Returns the engine's playback clock.
    ///
    /// - Parameter onEvent: The engine calls this function with each event, on the engine's thread.
    func start(in environment: PlaybackEnvironment, onEvent: @escaping @Sendable (EngineEvent) -> Void) -> PlaybackClock {
        let outputs = chosenOutputs ?? environment.outputs
        let engine = environment.engineHost.start(opener: environment.opener, outputs: outputs, events: onEvent)
        lease = EngineLease(engine)
        return engine.clock
    }

    /// Sends a command to the engine, if the engine has been started.
    func post(_ command: EngineCommand) { lease?.engine.post(command) }

    /// Ends the engine and closes the device; blocks until the engine has ended and the device is closed, at most two seconds.
    func shutDown() {
        let former = lease
        lease = nil
        former?.engine.shutDown()
    }

    /// Ends the engine in the background, without waiting for its end.
    func release() { lease = nil }

    // MARK: Settings

    /// Changes the settings of playback, without sending the settings to the engine.
    func change(_ body: (inout EngineSettings) -> Void) { body(&settings) }

    /// Sets whether the user mutes the player. Returns whether the user or the session mutes the player.
    func mute(byUser: Bool) -> Bool {
        isMuted = byUser
        return isMuted || isMutedBySession
    }

    /// Sets whether the audio session mutes the player. Returns whether the user or the session mutes the player.
    func mute(bySession: Bool) -> Bool {
        isMutedBySession = bySession
        return isMuted || isMutedBySession
    }

    /// Sets the player's outputs, which are tried in the order of the array.
    func choose(_ outputs: [any OutputProvider]) {
        chosenOutputs = outputs
        post(.setOutputs(outputs))
    }

    // MARK: Events

    func setOutput(_ new: OutputDescription?, format: AudioFormat?, error: PlaybackError?) {
        (output, outputFormat, outputError) = (new, format, error)
    }
    func skippedPackets(_ count: Int, of item: ItemID) { figures.noteSkipped(count, of: item) }
    func underran() { figures.noteUnderrun() }
    func clipped(_ frames: Int) { figures.noteClipped(frames) }
}

/// The owner of a running engine. The owner ends its engine in the background when the player is released.
private final class EngineLease: Sendable {
    let engine: any EngineHandle
    init(_ engine: any EngineHandle) { self.engine = engine }
    deinit {
        let engine = engine
        DispatchQueue.global().async { engine.shutDown() }
    }
}

/// The numbers of underruns, of skipped packets and of frames over full scale that a player's engine has reported.
package struct EngineFigures: Sendable, Hashable {
    /// The number of underruns: the device needed frames that had not been rendered.
    package private(set) var underruns = 0
    /// The number of corrupt packets that were replaced by silence, in all items together.
    package private(set) var skippedPackets = 0
    /// The number of rendered frames with a sample over full scale.
    package private(set) var clippedFrames = 0
    /// The number of skipped packets of each item in the engine's last report. The engine reports the total number of an item since the item was
    /// opened.
    private var latest: [ItemID: Int] = [:]

    /// The maximum number of items whose last report is kept: the current item and the items that follow it without a gap.
    private static let capacity = 16

    mutating func noteUnderrun() { underruns += 1 }
    mutating func noteClipped(_ frames: Int) { clippedFrames += frames }

    mutating func noteSkipped(_ count: Int, of item: ItemID) {
        skippedPackets += max(0, count - (latest[item] ?? 0))
        if latest[item] == nil, latest.count >= Self.capacity, let oldest = latest.keys.min(by: { $0.rawValue < $1.rawValue }) {
            latest[oldest] = nil
        }
        latest[item] = count
    }
}
