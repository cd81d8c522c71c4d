import Platform
import PlaybackEngine

/// A file outside the media roots that clients may use, because a command line has named it. The permission is saved with the queue, so that the file
/// can be played after a restart whose command line does not name it.
public struct PermittedFile: Sendable {
    /// The largest number of files that are kept.
    public static let maximumCount = PlaylistMachine.maximumCount
    /// The limit of all kept paths together, in bytes.
    public static let maximumTextSize = 16 << 20

    /// The absolute path as the command line named it, in the form of `FilePath.reference`.
    public var given: String
    /// The path of the file to which `given` led, with its symlinks resolved, in the same form.
    public var real: String
    public init(given: String, real: String) { self.given = given; self.real = real }

    /// Returns the files in `files` that a playlist contains. The permission of any other file ends with the run whose command line has named it.
    public static func of(_ playlist: SavedPlaylist, among files: [PermittedFile]) -> [PermittedFile] {
        guard !files.isEmpty else { return [] }
        let known = Set(files.map { OuterText($0.real) })
        var found = Set<OuterText>()
        for entry in playlist.entries {
            guard case .file(let path) = entry.spec.source.location else { continue }
            let reference = OuterText(path.reference)
            if known.contains(reference) { found.insert(reference) }
        }
        return files.filter { found.contains(OuterText($0.real)) }
    }
}
