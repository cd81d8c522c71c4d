/// The reason for a change of the output.
public enum OutputChangeCause: Sendable, Hashable {
    /// No output was open before, or the same output was opened again.
    case opened
    /// The list of outputs was replaced, and the new output is the first of the new list that could be opened.
    case chosen
    /// An output that is preferred to the former output can be opened now.
    case found
    /// The former output failed.
    case lost
    /// The sound server moved the stream, at the request of a user or a program.
    case moved
    /// The sound server moved the stream because the former device no longer exists.
    case removed
}
