/// The kind of texts that a shell offers as the value of an option, or as an argument.
enum Completion: Sendable, Hashable {
    case nothing, files, folders
    case words([String])
}

/// A shell for which the program can print a completion script.
enum Shell: String, Sendable, Hashable, CaseIterable {
    case bash, zsh, fish
}
