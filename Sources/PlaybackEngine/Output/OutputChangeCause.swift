/// The reason for a change of the output.
public enum OutputChangeCause: Sendable, Hashable {
    /// There was no output before, or the same one was opened again.
    case opened
    /// It is the best of a new list of outputs.
    case chosen
    /// It is preferred to the former output, and can be opened now.
    case found
    /// The former output failed.
    case lost
    /// The sound server moved the stream, at the request of a user or a program.
    case moved
    /// The sound server moved the stream because the former device no longer exists.
    case removed
}
