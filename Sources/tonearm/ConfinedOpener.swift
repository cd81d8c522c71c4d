import PlaybackEngine
import RemoteControl

/// Opens only files that the media roots and the command line of this run permit. A queue that an earlier run has saved may contain other files.
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
