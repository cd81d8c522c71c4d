import Platform
import PlaybackEngine

/// Opens every medium except the file to which the audio output writes, because the output would overwrite that file while the file is played.
struct OutputSparingOpener: MediaOpener {
    let opener: any MediaOpener
    /// The path of the file to which the audio output writes.
    let output: String

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        if case .file(let path) = source.location, MediaArgument.isSameFile(path, FilePath(output)) {
            throw PlaybackError(.permissionDenied, "The file is also the output, which would overwrite it.")
        }
        return try opener.open(source, interrupt: interrupt)
    }

    func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        try opener.picture(at: source, interrupt: interrupt)
    }
}
