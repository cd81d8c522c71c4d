import Dispatch
import PlaybackEngine

/// A player's engine, which is started with the first item, and its settings, output and counters.
@Turn final class PlayerEngine {
    private var lease: EngineLease?
    /// The settings that the engine has, or will have after its start.
    private(set) var settings = EngineSettings()
    /// Whether the user has muted the player.
    private(set) var isMuted = false
    /// Whether the session silences the output (R-SES-04).
    private var isMutedBySession = false
    private(set) var output: OutputDescription?
    private(set) var outputFormat: AudioFormat?
    /// The error of the output that was lost or could not be opened; nil again when an output is opened.
    private(set) var outputError: PlaybackError?
    var figures = EngineFigures()

    nonisolated init() {}

    // MARK: Running

    var isStarted: Bool { lease != nil }
    /// The engine's clock; nil before the start.
    var clock: HeardClock? { lease?.engine.clock }

    /// - Parameter onEvent: Called on the engine's thread.
    func start(
        in environment: PlaybackEnvironment, output: (any OutputProvider)?, onEvent: @escaping @Sendable (EngineEvent) -> Void
    ) -> HeardClock {
        let engine = environment.engineHost.start(opener: environment.opener, output: output, events: onEvent)
        lease = EngineLease(engine)
        return engine.clock
    }

    func post(_ command: EngineCommand) { lease?.engine.post(command) }

    /// Gives up the engine, for the caller to end it after the turn.
    func takeLease() -> EngineLease? {
        defer { lease = nil }
        return lease
    }

    // MARK: Settings

    /// Changes the settings without sending them.
    func change(_ body: (inout EngineSettings) -> Void) { body(&settings) }

    /// Stores whether the user mutes, and returns whether the user or the session mutes.
    func mute(byUser: Bool) -> Bool {
        isMuted = byUser
        return isMuted || isMutedBySession
    }

    /// Stores whether the session mutes, and returns whether the user or the session mutes.
    func mute(bySession: Bool) -> Bool {
        isMutedBySession = bySession
        return isMuted || isMutedBySession
    }

    // MARK: Events

    func setOutput(_ new: OutputDescription?, format: AudioFormat?, error: PlaybackError?) {
        (output, outputFormat, outputError) = (new, format, error)
    }
}

/// A running engine, which ends in the background when the player is released.
final class EngineLease: Sendable {
    fileprivate let engine: any EngineHandle
    fileprivate init(_ engine: any EngineHandle) { self.engine = engine }

    /// Ends the engine. Blocks, at most two seconds.
    func shutDown() { engine.shutDown() }

    deinit {
        let engine = engine
        DispatchQueue.global().async { engine.shutDown() }
    }
}

/// The counters of what the engine has reported.
package struct EngineFigures: Sendable, Hashable {
    /// How often the device needed frames that had not been rendered.
    package internal(set) var underruns = 0
    /// The packets that were replaced by silence, in all items together.
    package private(set) var skippedPackets = 0
    /// The frames with a sample over full scale.
    package internal(set) var clippedFrames = 0
    /// The skipped packets of each item, since it was opened.
    private var latest: [ItemID: Int] = [:]

    /// The limit of items in `latest`, more than the current item and those that follow it without a gap.
    private static let capacity = 16

    mutating func noteSkipped(_ count: Int, of item: ItemID) {
        skippedPackets += max(0, count - (latest[item] ?? 0))
        if latest[item] == nil, latest.count >= Self.capacity, let oldest = latest.keys.min(by: { $0.rawValue < $1.rawValue }) {
            latest[oldest] = nil
        }
        latest[item] = count
    }
}
