/// How the engine plays, whatever the item: one value, sent as a whole (`EngineCommand.configure`).
public struct EngineSettings: Sendable, Equatable {
    /// The speed at which audio is rendered while the engine runs; negative is backwards. The engine ignores 0 and what is not finite.
    public var rate = 1.0
    /// How a rate other than 1 is rendered. Heard at once.
    public var pitchAlgorithm = PitchAlgorithm.timeDomain
    /// The gain of the stream, 0…1.
    public var volume: Float = 1
    /// Whether the stream is silent, independently of `volume`.
    public var isMuted = false
    /// The purpose of the audio, for the sound server.
    public var role = StreamRole.music
    /// Which loudness tags of the items count. Heard at once, without a click.
    public var loudness = LoudnessMode.off
    /// Seconds for which consecutive items overlap, within `CrossfadeDuration.range`; 0 joins them without a gap. Applies to joints that are not rendered yet.
    public var crossfade = 0.0
    /// Seconds of media to decode ahead if possible, 0 for the engine's own choice: a hint (R-BUF-06).
    public var forwardBuffer = 0.0

    /// The settings of a new engine.
    public init() {}

    /// The longest forward buffer, in seconds: a minute of audio fits into memory anywhere.
    static let longestForwardBuffer = 60.0

    /// These settings with every value inside its bounds. An invalid rate is replaced by `former`'s.
    func bounded(after former: EngineSettings) -> EngineSettings {
        var bounded = self
        if rate == 0 || !rate.isFinite { bounded.rate = former.rate }
        bounded.crossfade = CrossfadeDuration.limited(crossfade)
        bounded.forwardBuffer = forwardBuffer.isFinite ? min(max(0, forwardBuffer), Self.longestForwardBuffer) : 0
        return bounded
    }

    /// The rate at which audio is rendered: the wanted one, or the nearest that the algorithm has (R-PITCH-02).
    var effectiveRate: Double { pitchAlgorithm.effectiveRate(for: rate) ?? rate }
    /// Whether audio is played backwards.
    var isReverse: Bool { rate < 0 }
}
