public import PlaybackEngine
import Synchronization

/// Everything at the edges of a player: what opens media, where sound goes, what time it is, where the main actor's work runs, what starts an engine.
///
/// `PlaybackEnvironment.default` is what `AVPlayer(url:)` and `AVAsset(url:)` use; a program replaces it before it makes its first player, a test
/// gives each player its own.
public struct PlaybackEnvironment: Sendable {
    public var opener: any MediaOpener
    /// The outputs to try, in order.
    public var outputs: [any OutputProvider]
    public var clock: any HostClock
    public var scheduler: any MainScheduler
    public var engineHost: any EngineHost
    /// The magnitudes of rate that the engine can render (R-PITCH-01).
    public var rates: ClosedRange<Double>
    /// Whether the engine can play backwards.
    public var canReverse: Bool
    /// Tells the date to logs.
    public var wallClock: any WallClock = SystemWallClock()
    /// The audio session of the players; nil is the shared one.
    package var session: AVAudioSession?

    public init(
        opener: any MediaOpener, outputs: [any OutputProvider], clock: any HostClock = MonotonicClock(),
        scheduler: any MainScheduler = DispatchMainScheduler(), engineHost: any EngineHost, rates: ClosedRange<Double> = 1.0 / 32...32,
        canReverse: Bool = false
    ) {
        self.opener = opener
        self.outputs = outputs
        self.clock = clock
        self.scheduler = scheduler
        self.engineHost = engineHost
        self.rates = rates
        self.canReverse = canReverse
    }

    private static let replaced = Mutex<PlaybackEnvironment?>(nil)

    /// The environment of everything that is not given another. Replaceable, from any thread; what exists keeps the one it was made with.
    public static var `default`: PlaybackEnvironment {
        get { replaced.withLock { $0 } ?? standard }
        set { replaced.withLock { $0 = newValue } }
    }
}
