/// Which of a medium's loudness tags decide how loud it is played.
public enum LoudnessMode: String, Sendable, Hashable, CaseIterable {
    /// None: every medium as it was recorded.
    case off
    /// Every medium equally loud.
    case track
    /// Every album equally loud, the differences inside it kept.
    case album
}
