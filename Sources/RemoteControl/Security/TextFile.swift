import Platform
import PlaybackEngine

/// Recognises text, such as notes, covers and logs, so that it is not loaded as media.
enum TextFile {
    /// The length of the file's start that is examined, in bytes.
    private static let examinedLength = 512

    /// Whether a file is UTF-8 without control characters other than white space, with which no format of media begins; also true for an empty file.
    /// False if the file cannot be read. Blocks for one access to the disk.
    static func isText(_ place: PermittedPlace) -> Bool {
        place.file.start(examinedLength).map { isText($0[...], isWhole: $0.count < examinedLength) } ?? false
    }

    /// Whether a file begins like a playlist or a feed. Blocks like `isText`.
    static func isList(_ place: PermittedPlace) -> Bool {
        guard let bytes = place.file.start(ContentKind.sampleSize) else { return false }
        let kind = ContentKind(bytes, isWhole: bytes.count < ContentKind.sampleSize, hint: PlaylistFile.Format(name: place.path.name))
        switch kind {
        case .list, .feed: return true
        case .foreign, .medium, .undecided: return false
        }
    }

    /// - Parameter isWhole: Whether no further bytes follow; if not, the last character may be incomplete.
    static func isText(_ bytes: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
        let isControl: (UInt8) -> Bool = { $0 == 0x7F || $0 < 0x20 && !(0x09...0x0D).contains($0) }
        guard !bytes.contains(where: isControl) else { return false }
        // At most three bytes belong to a character that is cut off.
        return (0...(isWhole ? 0 : 3)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}
