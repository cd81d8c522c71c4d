import Glibc
public import Platform

/// Finds the picture named `cover`, `folder`, `front` or `album` in the folder of a medium. The picture must be inside the media roots.
public struct FolderPicture: Sendable {
    /// The greatest size of a picture, in bytes: the same as for a picture inside a medium.
    static let maximumSize = 16 << 20
    static let maximumExamined = 10_000
    /// The greatest number of files with such a name that are considered in one folder.
    private static let maximumCandidates = 16

    /// The names in the order of preference; the letter case is ignored.
    private static let names = ["cover", "folder", "front", "album"].map { Array($0.utf8) }
    private static let extensions = [".jpg", ".jpeg", ".png", ".webp"].map { Array($0.utf8) }

    private let confinement: PathConfinement

    /// - Parameter media: The rule that decides which files may be read.
    public init(media: PathConfinement) { confinement = media }

    /// The picture beside a file; nil if the folder has none. The bytes may be of any kind; only the name was checked. Blocks.
    public func bytes(besideFileAt path: FilePath) -> [UInt8]? { (try? AbsolutePath(bytes: path.bytes)).flatMap { bytes(beside: $0) } }

    /// The picture beside a file, for a path whose links have been resolved. At most `limit` names of the folder are examined.
    func bytes(beside medium: AbsolutePath, examining limit: Int = maximumExamined) -> [UInt8]? {
        guard let parent = medium.parent, let folder = try? confinement.open(parent) else { return nil }
        for name in candidates(in: folder, limit) {
            if let bytes = confinement.open(name, in: folder)?.file.content(sizes: 1...Self.maximumSize) { return bytes }
        }
        return nil
    }

    /// The names of pictures, the preferred one first.
    private func candidates(in folder: PermittedPlace, _ limit: Int) -> [[UInt8]] {
        guard let directory = try? folder.file.directory() else { return [] }
        defer { closedir(directory) }
        var found: [(rank: Int, name: [UInt8])] = [], examined = 0
        while examined < limit, found.count < Self.maximumCandidates, let next = readdir(directory) {
            examined += 1
            let name = MediaLibrary.name(of: next)
            if let rank = Self.rank(name) { found.append((rank, Array(name))) }
        }
        // Names that differ only in letter case have the order of their bytes, independent of the file system.
        return found.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.name.lexicographicallyPrecedes($1.name) }.map(\.name)
    }

    /// The rank of a name, of which the lowest is preferred; nil if it is not the name of a picture.
    private static func rank(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = name.first?.asciiLowercased, Self.names.contains(where: { $0[0] == first }) else { return nil }
        let lower = name.map(\.asciiLowercased)
        for (number, base) in names.enumerated() where lower.starts(with: base) {
            if let ending = extensions.firstIndex(where: { lower.dropFirst(base.count).elementsEqual($0) }) {
                return number * extensions.count + ending
            }
        }
        return nil
    }
}
