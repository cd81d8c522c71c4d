/// The settings of the engine, which apply to all items. The player sends all settings in one command (`EngineCommand.configure`).
public struct EngineSettings: Sendable, Equatable {
    /// The requested rate of playback; a negative rate plays backwards. Audio is rendered at the rate `effectiveRate`. The engine ignores 0 and
    /// values that are not finite.
    public var rate = 1.0
    /// The pitch algorithm for rates other than 1. A change of the algorithm takes effect at once.
    public var pitchAlgorithm = PitchAlgorithm.timeDomain
    /// The gain of the output's stream, 0…1.
    public var volume: Float = 1
    /// Whether the output's stream is silent, independently of `volume`.
    public var isMuted = false
    /// The purpose of the audio, for the policies of the sound server.
    public var role = StreamRole.music
    /// The loudness tags that are applied. A change of the loudness mode takes effect at once, without a click.
    public var loudness = LoudnessMode.off
    /// The attenuation that keeps the samples of items below full scale. A change takes effect at once, without a click.
    public var headroom = Headroom.off
    /// The duration of the crossfade between consecutive items, in seconds, within `CrossfadeDuration.range`; 0 joins items without a gap. A change
    /// of the duration applies to crossfades that are not rendered yet.
    public var crossfade = 0.0
    /// The duration of the audio that is decoded ahead if possible, in seconds of media; with 0 the engine chooses the duration. The engine may
    /// decode less than the requested duration (R-BUF-06).
    public var forwardBuffer = 0.0
    /// The choice of the output's sample rate. A change takes effect at once, with a cut in the audio if the rate changes.
    public var outputRates = OutputRates()

    /// Makes the settings of a new engine: forward at rate 1, full volume, no crossfade.
    public init() {}

    /// The longest forward buffer, in seconds. One minute of decoded audio fits into the memory of any machine.
    static let longestForwardBuffer = 60.0

    /// Returns a copy of the settings with a valid rate, and with the crossfade and the forward buffer limited to their ranges. An invalid rate is
    /// replaced by that of the `former` settings.
    func bounded(after former: EngineSettings) -> EngineSettings {
        var bounded = self
        if rate == 0 || !rate.isFinite { bounded.rate = former.rate }
        bounded.crossfade = CrossfadeDuration.limited(crossfade)
        bounded.forwardBuffer = forwardBuffer.isFinite ? min(max(0, forwardBuffer), Self.longestForwardBuffer) : 0
        return bounded
    }

    /// The rate at which audio is rendered: the requested rate, or the nearest rate that the pitch algorithm supports (R-PITCH-02).
    var effectiveRate: Double { pitchAlgorithm.effectiveRate(for: rate) ?? rate }
    /// Whether audio is played backwards.
    var isReverse: Bool { rate < 0 }
}
