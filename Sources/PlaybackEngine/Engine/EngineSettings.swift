/// The settings of the engine, which apply to all items. The player sends all settings in one command (`EngineCommand.configure`).
public struct EngineSettings: Sendable, Equatable {
    /// The requested rate, negative for reverse playback. 0 and values that are not finite are ignored. Audio is rendered at `effectiveRate`.
    public var rate = 1.0
    /// The algorithm for rates other than 1; a change takes effect at once.
    public var pitchAlgorithm = PitchAlgorithm.timeDomain
    /// The volume, 0…1.
    public var volume: Float = 1
    public var isMuted = false
    /// The role of the stream, for the policies of the sound server.
    public var role = StreamRole.music
    /// A change takes effect at once, without a click.
    public var loudness = LoudnessMode.off
    /// A change takes effect at once, without a click.
    public var headroom = Headroom.off
    /// The duration in seconds, within `CrossfadeDuration.range`. Applies to crossfades that are not rendered yet.
    public var crossfade = 0.0
    /// The audio to buffer ahead, in seconds of media, if possible (R-BUF-06); with 0 the engine chooses.
    public var forwardBuffer = 0.0
    /// A change takes effect at once, with a cut if the rate changes.
    public var outputRates = OutputRates()

    public init() {}

    /// The greatest `forwardBuffer`, in seconds; one minute fits into the memory of any machine.
    static let longestForwardBuffer = 60.0

    /// The settings within their limits: the `former` rate replaces an invalid one, and crossfade and buffer are limited to their ranges.
    func bounded(after former: EngineSettings) -> EngineSettings {
        var bounded = self
        if rate == 0 || !rate.isFinite { bounded.rate = former.rate }
        bounded.crossfade = CrossfadeDuration.limited(crossfade)
        bounded.forwardBuffer = forwardBuffer.isFinite ? min(max(0, forwardBuffer), Self.longestForwardBuffer) : 0
        return bounded
    }

    /// The requested rate, or the nearest that the pitch algorithm supports (R-PITCH-02).
    var effectiveRate: Double { pitchAlgorithm.effectiveRate(for: rate) ?? rate }
    var isReverse: Bool { rate < 0 }
}

/// The durations that a crossfade may have.
public enum CrossfadeDuration {
    /// The permitted durations, in seconds; 0 joins items without a gap.
    public static let range = 0.0...12.0

    /// The nearest duration in `range`; 0 if `seconds` is not finite.
    public static func limited(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(range.lowerBound, seconds), range.upperBound) : 0
    }
}
