/// Why sound goes to an output.
public enum OutputChangeCause: Sendable, Hashable {
    /// There was none before, or it was opened once more.
    case opened
    /// It is the best of a new list of outputs.
    case chosen
    /// It is better than the one before, and can be opened now.
    case found
    /// The one before failed.
    case lost
    /// The sound server moved the stream, on somebody's behalf.
    case moved
    /// The sound server moved the stream because the device before is there no longer.
    case removed
}
