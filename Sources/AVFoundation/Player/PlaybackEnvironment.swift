import ALSAOutput
import Dispatch
import FFmpegMedia
public import Platform
public import PlaybackEngine
import PulseOutput
import RubberBandPitch
import Synchronization

/// The external parts of a player: opener, outputs, clock, scheduler, host of the engine's threads.
///
/// `AVPlayer(url:)` and `AVAsset(url:)` use `PlaybackEnvironment.default`, which a program may replace before its first player. A test gives each
/// player its own.
public struct PlaybackEnvironment: Sendable {
    public var opener: any MediaOpener
    /// The kinds of output. The wish `automatic` opens the first automatic one that is present.
    public var outputs: [OutputDriver]
    /// The output of new players.
    public var output = OutputWish.automatic
    /// The longest absence of the output after which playback resumes, in seconds.
    public var outputPatience = OutputPolicy.standardPatience
    /// Whether players look for their output before they need it, so that `AVPlayer.silenceReason` is known.
    public var watchesIdleOutput = false
    public var clock: any HostClock
    public var scheduler: any MainScheduler
    public var engineHost: any EngineHost
    public var canReverse: Bool
    /// The clock for dates in logs.
    public var wallClock: any WallClock = SystemWallClock()
    /// The audio session of the players; nil for the shared one.
    package var session: AVAudioSession?

    public init(
        opener: any MediaOpener, outputs: [OutputDriver], clock: any HostClock = MonotonicClock(),
        scheduler: any MainScheduler = DispatchMainScheduler(), engineHost: any EngineHost, canReverse: Bool = false
    ) {
        self.opener = opener
        self.outputs = outputs
        self.clock = clock
        self.scheduler = scheduler
        self.engineHost = engineHost
        self.canReverse = canReverse
    }

    private static let replaced = Mutex<PlaybackEnvironment?>(nil)

    /// The environment of players and assets that are made without one. It may be replaced on any thread; existing players and assets keep theirs.
    public static var `default`: PlaybackEnvironment {
        get { replaced.withLock { $0 } ?? standard }
        set { replaced.withLock { $0 = newValue } }
    }
}

extension PlaybackEnvironment {
    /// The drivers in the order of preference: PulseAudio (PULSE_SERVER, PULSE_SINK), the devices of ALSA, for machines without a sound server, and the
    /// null output, which keeps time without a device, and is opened only if it is chosen.
    public static let outputDrivers: [OutputDriver] = [.pulse, .alsa, .null]

    /// The environment with FFmpeg, and the first output that is present.
    static let standard = PlaybackEnvironment(
        opener: FFmpegOpener(), outputs: outputDrivers,
        engineHost: ThreadedEngineHost(makePitch: makeTimePitch), canReverse: true)
}

extension PlaybackEnvironment {
    /// Makes the processor that plays audio at other rates by an algorithm (R-PITCH-01).
    public static func makeTimePitch(_ algorithm: PitchAlgorithm, _ format: AudioFormat) -> any TimePitch {
        switch algorithm {
        case .timeDomain: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .spectral: RubberBandTimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .lowQualityZeroLatency: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount, quality: .lowLatency)
        case .varispeed: VarispeedTimePitch(format: format)
        }
    }
}

/// A scheduler that uses the main queue, which the program must run (`dispatchMain`, an asynchronous main, or a run loop; R-KVO-09).
public struct DispatchMainScheduler: MainScheduler {
    public init() {}

    public func async(_ work: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { work() } }
    }

    public func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction {
        DispatchAction(at: time, work)
    }
}

/// A one-shot timer, with a leeway of half a millisecond, because timers are for the host times at which frames are heard.
private final class DispatchAction: ScheduledAction {
    /// `@unchecked Sendable`: the objects of libdispatch may be used on any thread.
    private struct Source: @unchecked Sendable {
        let timer: any DispatchSourceTimer
    }
    /// Nil after the work has started or was cancelled.
    private let source: Mutex<Source?>

    init(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        source = Mutex(Source(timer: timer))
        let now = MonotonicClock().now
        let delay = Int((max(0, min(time - now, 1e9)) * 1e9).rounded())
        timer.schedule(deadline: .now() + .nanoseconds(delay), leeway: .microseconds(500))
        timer.setEventHandler { [weak self] in
            if let self, take() { MainActor.assumeIsolated { work() } }
        }
        timer.resume()
    }

    /// Ends the timer. Returns false if it has ended before.
    private func take() -> Bool {
        let taken = source.withLock { source in
            defer { source = nil }
            return source
        }
        taken?.timer.cancel()
        return taken != nil
    }

    func cancel() { _ = take() }

    deinit { cancel() }
}
