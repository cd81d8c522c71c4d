public import Platform
public import PlaybackEngine
import Synchronization

/// The external parts of a player: the opener of media, the outputs, the clock, the scheduler of the main actor's work, and the host of the engine's
/// threads.
///
/// `AVPlayer(url:)` and `AVAsset(url:)` use `PlaybackEnvironment.default`. A program may replace the default environment before it makes its first
/// player. A test gives each player its own environment.
public struct PlaybackEnvironment: Sendable {
    public var opener: any MediaOpener
    /// The outputs of the player, which are tried in the order of the array.
    public var outputs: [any OutputProvider]
    public var clock: any HostClock
    public var scheduler: any MainScheduler
    public var engineHost: any EngineHost
    /// The range of the absolute playback rates that the engine can render (R-PITCH-01).
    public var rates: ClosedRange<Double>
    /// Whether the engine can play backwards.
    public var canReverse: Bool
    /// The clock for dates in logs.
    public var wallClock: any WallClock = SystemWallClock()
    /// The audio session of the players; nil means the shared session.
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

    /// The environment of all players and assets that are made without an explicit environment. The default environment may be replaced on any
    /// thread; existing players and assets keep their environment.
    public static var `default`: PlaybackEnvironment {
        get { replaced.withLock { $0 } ?? standard }
        set { replaced.withLock { $0 = newValue } }
    }
}
