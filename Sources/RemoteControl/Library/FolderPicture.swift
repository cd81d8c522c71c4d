import Glibc
import Platform

/// Finds the picture of a folder: a file named `cover`, `folder`, `front` or `album`, which lies beside the media. Such a picture is subject to the
/// same rule as media: it must be inside the media roots.
public struct FolderPicture: Sendable {
    /// The maximum size of a picture, in bytes. It equals the limit of a picture inside a medium.
    static let maximumSize = 16 << 20
    /// The maximum number of names that are examined in a folder.
    static let maximumExamined = 10_000
    /// The maximum number of files that are tried, if several have such a name.
    private static let maximumCandidates = 16

    /// The names without their extensions, and the extensions, each in the order of preference. The case of a file's name does not matter.
    private static let names = ["cover", "folder", "front", "album"].map { Array($0.utf8) }
    private static let extensions = [".jpg", ".jpeg", ".png", ".webp"].map { Array($0.utf8) }

    private let sideFile: SideFile

    /// Creates a finder.
    /// - Parameter media: The rule for which files may be read.
    public init(media: PathConfinement) { sideFile = SideFile(confinement: media) }

    /// Returns the picture of the folder that contains the file at `path`, unchecked; nil if it has none. Blocks.
    public func bytes(besideFileAt path: String) -> [UInt8]? { (try? AbsolutePath(path)).flatMap { bytes(beside: $0) } }

    /// Does the same as `bytes(besideFileAt:)`, for a path whose links have been resolved.
    /// - Parameter limit: The maximum number of names that are examined.
    func bytes(beside medium: AbsolutePath, examining limit: Int = maximumExamined) -> [UInt8]? {
        candidates(beside: medium, limit).lazy.compactMap { sideFile.content($0, beside: medium, limit: Self.maximumSize) }.first
    }

    /// Returns the names of the pictures of the folder, the preferred one first.
    private func candidates(beside medium: AbsolutePath, _ limit: Int) -> [String] {
        guard let folder = medium.parent, (try? sideFile.confinement.resolve(folder)) != nil, let directory = opendir(folder.text) else { return [] }
        defer { closedir(directory) }
        var found: [(rank: Int, name: String)] = [], examined = 0
        while examined < limit, found.count < Self.maximumCandidates, let next = readdir(directory) {
            examined += 1
            if let name = MediaLibrary.name(of: next), let rank = Self.rank(name) { found.append((rank, name)) }
        }
        // Names that differ only in case have the order of their bytes, so that the result does not depend on the file system.
        return found.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map(\.name)
    }

    /// Returns the rank of a name, of which the lowest is preferred; nil if it is not the name of a folder's picture.
    private static func rank(_ name: String) -> Int? {
        let lower = name.utf8.map(\.asciiLowercased)
        for (number, base) in names.enumerated() where lower.starts(with: base) {
            if let ending = extensions.firstIndex(where: { lower.dropFirst(base.count).elementsEqual($0) }) {
                return number * extensions.count + ending
            }
        }
        return nil
    }
}
