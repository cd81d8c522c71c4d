import Glibc
import Platform
import PlaybackEngine

/// Recognises text, such as notes, covers and logs, so that it is not loaded as media.
enum TextFile {
    /// The length of the file's start that is examined, in bytes.
    private static let examinedLength = 512

    /// Whether a file is UTF-8 without control characters other than white space, with which no format of media begins; also true for an empty file.
    /// False if the file cannot be read. Blocks for one access to the disk. `path` is a regular file, with links resolved; no link is followed.
    static func isText(_ path: AbsolutePath) -> Bool {
        start(of: path, length: examinedLength).map { isText($0[...], isWhole: $0.count < examinedLength) } ?? false
    }

    /// Whether a file begins like a playlist or a feed; the rules of `isText` for `path` apply.
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

    /// - Parameter isWhole: Whether no further bytes follow; if not, the last character may be incomplete.
    static func isText(_ bytes: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
        let isControl: (UInt8) -> Bool = { $0 == 0x7F || $0 < 0x20 && !(0x09...0x0D).contains($0) }
        guard !bytes.contains(where: isControl) else { return false }
        // At most three bytes belong to a character that is cut off.
        return (0...(isWhole ? 0 : 3)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}

/// Reads small files beside a medium, by the rule for media (`PathConfinement`). All functions block.
struct SideFile: Sendable {
    let confinement: PathConfinement

    /// Reads a file; nil if it does not exist, may not be read, is empty or has more than `limit` bytes. Links inside the media roots are followed:
    /// the path is resolved first, and then opened without following a link.
    /// - Parameter medium: The path of the medium, with its links resolved.
    func content(_ name: [UInt8], beside medium: AbsolutePath, limit: Int) -> [UInt8]? {
        guard name.count <= AbsolutePath.maximumNameLength, let folder = medium.parent,
            let real = try? confinement.resolve(folder.appending(name)), PathConfinement.kind(of: real) == .file
        else { return nil }
        return Self.content(of: real, sizes: 1...limit)
    }

    /// Reads a regular file whose size in bytes is in `sizes`, without a link in its path. Nil if that is impossible.
    static func content(of path: AbsolutePath, sizes: ClosedRange<Int>) -> [UInt8]? {
        // Opening a FIFO that has replaced the file would block.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard OpenFile.path(of: descriptor) == path.file.bytes else { return nil }
        return OpenFile.content(of: descriptor, sizes: sizes)
    }
}
