public import AVFoundation
public import PlaybackEngine

/// A partial change of the player's settings; a nil property means no change. The remote control refuses values out of range before it creates an
/// update.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    /// The duration in which the volume changes to the new one, in seconds; nil means immediately.
    public var volumeFade: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var repeatMode: PlaylistMachine.RepeatMode?
    public var isShuffled: Bool?
    /// The seed of the shuffle: the same entries and the same seed give the same playback order. An update with a seed shuffles the playlist, even if
    /// the playlist is already shuffled.
    public var shuffleSeed: UInt64?
    /// Whether an entry that was current is removed from the playlist after another entry became current, except by the command `previous`.
    public var isConsuming: Bool?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var actionAtItemEnd: AVPlayer.ActionAtItemEnd?
    public init() {}
}
