import PlaybackEngine

/// Opens every medium except the file of the file output, because playing that file would overwrite it.
struct OutputSparingOpener: MediaOpener {
    let opener: any MediaOpener
    /// The path of the file output.
    let output: String

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        if case .file(let path) = source.location, MediaArgument.isSameFile(path, output) {
            throw PlaybackError(.permissionDenied, "The file is also the output, which would overwrite it.")
        }
        return try opener.open(source, interrupt: interrupt)
    }
}
