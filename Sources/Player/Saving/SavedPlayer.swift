public import AVFoundation
public import PlaybackEngine

/// The state of a player that is saved from one run of the program to the next, as a value.
public struct SavedPlayer: Sendable {
    /// The position that was heard, and the requested rate.
    public struct Playhead: Sendable, Hashable {
        /// The position in the current entry, in seconds.
        public var time: Double
        /// The requested rate; 0 means paused.
        public var rate: Double
        public init(time: Double = 0, rate: Double = 0) { self.time = time; self.rate = rate }
    }

    public var playlist = SavedPlaylist()
    /// A number that differs for different playlists of one run of the program. So two states are compared without a comparison of their playlists.
    public var edition = 0
    /// The ids of the entries that were added, removed or changed since the state that was saved before; nil if they are not known.
    public var changedEntries: Set<String>?
    public var playhead = Playhead()
    public var settings = SavedSettings()
    public init() {}

    /// Returns whether two states of one run of the program are equal.
    func equals(_ other: SavedPlayer) -> Bool { edition == other.edition && playhead == other.playhead && settings == other.settings }
}

/// The settings of a player that are saved from one run of the program to the next. Nil means a setting that was never saved, so the default applies.
public struct SavedSettings: Sendable, Hashable {
    public var volume: Double?
    public var isMuted: Bool?
    public var defaultRate: Double?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var actionAtItemEnd: AVPlayer.ActionAtItemEnd?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var outputRates: OutputRates?
    public var category: AVAudioSession.Category?
    public var mode: AVAudioSession.Mode?
    public var options: AVAudioSession.CategoryOptions?
    /// The output that a client or the user has chosen; nil if none was chosen.
    public var output: OutputChoice?
    public init() {}
}
