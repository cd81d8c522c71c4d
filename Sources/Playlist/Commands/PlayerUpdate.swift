public import PlaybackEngine

/// A partial change of the player's settings; nil leaves a setting alone. Values are in range: the remote control refuses others.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var repeatMode: PlaylistMachine.RepeatMode?
    public var isShuffled: Bool?
    /// Makes the order of a shuffle repeatable; shuffles anew where it is shuffled already.
    public var shuffleSeed: UInt64?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var actionAtItemEnd: PlayerState.ActionAtItemEnd?
    public init() {}
}
