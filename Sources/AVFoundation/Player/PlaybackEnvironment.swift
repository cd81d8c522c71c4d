public import Platform
public import PlaybackEngine
import Synchronization

/// The external parts of a player: opener, outputs, clock, scheduler, host of the engine's threads.
///
/// `AVPlayer(url:)` and `AVAsset(url:)` use `PlaybackEnvironment.default`, which a program may replace before its first player. A test gives each
/// player its own.
public struct PlaybackEnvironment: Sendable {
    public var opener: any MediaOpener
    /// Tried in order.
    public var outputs: [any OutputProvider]
    public var clock: any HostClock
    public var scheduler: any MainScheduler
    public var engineHost: any EngineHost
    /// Absolute rates that the engine can render (R-PITCH-01).
    public var rates: ClosedRange<Double>
    public var canReverse: Bool
    /// For dates in logs.
    public var wallClock: any WallClock = SystemWallClock()
    /// Nil for the shared one.
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

    /// May be replaced on any thread; existing players and assets keep theirs.
    public static var `default`: PlaybackEnvironment {
        get { replaced.withLock { $0 } ?? standard }
        set { replaced.withLock { $0 = newValue } }
    }
}
