import Platform
import PlaybackEngine
import RemoteControl

/// Opens files only if this run permits them, because a saved queue may contain others. Never opens the file that the output would overwrite.
struct ConfinedOpener: MediaOpener {
    let opener: any MediaOpener
    let confinement: PathConfinement
    /// The path of the file to which the output writes; nil if it writes to none.
    var output: String?

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        var source = source
        if case .file(let path) = source.location {
            guard confinement.permits(resolved: path) else {
                throw PlaybackError(.permissionDenied, "The file is not below a media root of the server.")
            }
            source.followsLinks = false
            if let output, MediaArgument.isSameFile(path, FilePath(output)) {
                throw PlaybackError(.permissionDenied, "The file is also the output, which would overwrite it.")
            }
        }
        return try opener.open(source, interrupt: interrupt)
    }

    func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        try opener.picture(at: source, interrupt: interrupt)
    }
}
