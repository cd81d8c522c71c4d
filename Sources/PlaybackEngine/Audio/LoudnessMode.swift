/// The loudness tags that determine the level at which a medium is played.
public enum LoudnessMode: String, Sendable, Hashable, CaseIterable {
    /// No tags: every medium has its recorded level.
    case off
    /// The tags of the track: all media are equally loud.
    case track
    /// The tags of the album: all albums are equally loud, and the differences inside an album remain.
    case album
}
