public import PlaybackEngine

/// A partial change of the player's settings; nil means no change. The remote control has refused values out of range.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var repeatMode: PlaylistMachine.RepeatMode?
    public var isShuffled: Bool?
    /// The seed of the shuffle, which makes its order repeatable. If the playlist is already shuffled, it is shuffled again.
    public var shuffleSeed: UInt64?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var actionAtItemEnd: PlayerState.ActionAtItemEnd?
    public init() {}
}
