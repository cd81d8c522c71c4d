import Platform
import PlaybackEngine
import RemoteControl

/// Opens only files that this run permits; a saved queue may contain others.
struct ConfinedOpener: MediaOpener {
    let opener: any MediaOpener
    let confinement: PathConfinement

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        if case .file(let path) = source.location, !confinement.permits(resolved: path) {
            throw PlaybackError(.permissionDenied, "The file is not below a media root of the server.")
        }
        return try opener.open(source, interrupt: interrupt)
    }

    func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        try opener.picture(at: source, interrupt: interrupt)
    }
}

/// Opens every medium but the file that the output would overwrite while it is played.
struct OutputSparingOpener: MediaOpener {
    let opener: any MediaOpener
    /// The file to which the output writes.
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
