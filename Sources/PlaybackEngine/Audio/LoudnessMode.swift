/// The loudness tags that determine the level at which a medium is played.
public enum LoudnessMode: String, Sendable, Hashable, CaseIterable {
    /// Loudness tags are ignored: every medium is played at its recorded level.
    case off
    /// The loudness tags of the track are applied: all media are equally loud.
    case track
    /// The loudness tags of the album are applied: all albums are equally loud, and the differences inside an album remain.
    case album
}
