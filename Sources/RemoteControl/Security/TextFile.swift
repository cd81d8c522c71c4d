import Glibc
import Platform
import PlaybackEngine

/// Recognises text, such as notes, covers and logs, so that it is not loaded as media.
enum TextFile {
    /// In bytes, at the start.
    private static let examinedLength = 512

    /// UTF-8 without control characters other than white space, with which no format of media begins; also an empty file. False if the file cannot be
    /// read. Blocks for one access to the disk. `path` is a regular file, with links resolved; no link is followed.
    static func isText(_ path: AbsolutePath) -> Bool {
        start(of: path, length: examinedLength).map { isText($0[...], isWhole: $0.count < examinedLength) } ?? false
    }

    /// Begins like a playlist or a feed; as `isText`.
    static func isList(_ path: AbsolutePath) -> Bool {
        guard let bytes = start(of: path, length: ContentKind.sampleSize) else { return false }
        let kind = ContentKind(bytes, isWhole: bytes.count < ContentKind.sampleSize, hint: PlaylistFile.Format(name: path.name))
        switch kind {
        case .list, .feed: return true
        case .foreign, .medium, .undecided: return false
        }
    }

    private static func start(of path: AbsolutePath, length: Int) -> [UInt8]? {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: length)
        let count = read(file, &bytes, length)
        return count >= 0 ? Array(bytes.prefix(count)) : nil
    }

    /// - Parameter isWhole: False if further bytes follow, so that the last character may be incomplete.
    static func isText(_ bytes: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
        let isControl: (UInt8) -> Bool = { $0 == 0x7F || $0 < 0x20 && !(0x09...0x0D).contains($0) }
        guard !bytes.contains(where: isControl) else { return false }
        // At most three bytes belong to a character that is cut off.
        return (0...(isWhole ? 0 : 3)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}
