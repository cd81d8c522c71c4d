/// What a shell offers as a value or argument.
enum Completion: Sendable, Hashable {
    case nothing, files, folders
    case words([String])
}

/// For which the program can print a completion script.
enum Shell: String, Sendable, Hashable, CaseIterable {
    case bash, zsh, fish
}
