import PlaybackEngine

/// Opens everything but the file that the sound goes to, which would be overwritten by itself.
struct OutputSparingOpener: MediaOpener {
    let opener: any MediaOpener
    /// The path of the file output.
    let output: String

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        if case .file(let path) = source.location, MediaArgument.isSameFile(path, output) {
            throw PlaybackError(.permissionDenied, "The file is the output too, and would be overwritten by what is played.")
        }
        return try opener.open(source, interrupt: interrupt)
    }
}
