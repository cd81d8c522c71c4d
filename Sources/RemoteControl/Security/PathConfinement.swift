import Glibc
public import Platform
public import Player

/// An open file or folder that clients may use. Only `PathConfinement` makes one, so nobody can use a path that was checked and opened again: in
/// between, a user who can write into a media root may have exchanged a folder for a link that leads elsewhere.
struct PermittedPlace: Sendable {
    /// The path without links.
    let path: AbsolutePath
    let file: OpenFile

    fileprivate init?(_ opened: OpenFile?) {
        guard let opened, let path = try? AbsolutePath(bytes: opened.path.bytes) else { return nil }
        self.path = path
        file = opened
    }

    var kind: OpenFile.Kind { file.kind }
}

/// Decides which local files clients may use: everything below the media roots, and files that were permitted individually.
///
/// A path is judged twice: as text, and then by the place of the object that was opened. So nothing outside the media roots can be read or listed,
/// and no answer reveals which files exist there. `openat2` with `RESOLVE_BENEATH` would refuse absolute links and links between media roots, which
/// are permitted here.
///
/// The methods may access the file system and block, unless they compare text only.
public struct PathConfinement: Sendable {
    /// A permitted path, as given and with its symlinks resolved.
    private struct Place: Sendable {
        let given: AbsolutePath
        let real: AbsolutePath

        func covers(_ path: AbsolutePath) -> Bool { path.isInside(given) || path.isInside(real) }
    }

    /// The reason why a media root or permitted file cannot be used, in a sentence for the user who started the server.
    public struct Unusable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    private let roots: [Place]
    /// The media roots that did not exist when the program started, as given.
    public let missingRoots: [FilePath]
    /// The permitted files: those of the command line in its order, then those of earlier runs (`permitting`).
    private var files: [Place] = []
    /// The permitted files by both paths, as given and resolved.
    private var filesByPath: [AbsolutePath: Place] = [:]
    private var realFiles: Set<AbsolutePath> = []

    /// Permits media roots and files by absolute paths (`FilePath.reference`). The roots must be readable directories, unless they do not exist yet,
    /// like a share that is not mounted; the files need not exist yet.
    public init(roots: [String] = [], files: [String] = []) throws(Unusable) {
        var rootPlaces: [Place] = []
        var missing: [FilePath] = []
        for root in roots {
            let given = try Self.path(root, of: "media root")
            let opened: OpenFile
            do throws(SystemError) { opened = try OpenFile(given.file) } catch {
                // Without /proc (ENOSYS) no file can be opened.
                guard ![EACCES, ENOTDIR, ELOOP, ENOSYS].contains(error.code) else {
                    throw Unusable(description: "the media root \(root) cannot be read: \(error.message)")
                }
                rootPlaces.append(Place(given: given, real: Self.placeAfterCreation(of: given)))
                missing.append(given.file)
                continue
            }
            guard let real = PermittedPlace(opened), real.kind == .directory, real.path.withCString({ access($0, R_OK | X_OK) }) == 0 else {
                throw Unusable(description: "the media root \(root) is not a directory that can be read")
            }
            rootPlaces.append(Place(given: given, real: real.path))
        }
        self.roots = rootPlaces
        missingRoots = missing
        for file in files {
            let given = try Self.path(file, of: "file")
            add(Place(given: given, real: Self.place(given)?.path ?? given))
        }
    }

    private mutating func add(_ file: Place) {
        files.append(file)
        realFiles.insert(file.real)
        for path in [file.given, file.real] where filesByPath[path] == nil { filesByPath[path] = file }
    }

    /// Adds files of an earlier run's command line. If such a path leads to another file now, it is refused.
    public func permitting(_ earlier: [PermittedFile]) -> PathConfinement {
        var copy = self
        for file in earlier {
            guard let given = try? AbsolutePath(reference: file.given), let real = try? AbsolutePath(reference: file.real),
                copy.filesByPath[given] == nil
            else { continue }
            copy.add(Place(given: given, real: real))
        }
        return copy
    }

    public var permittedFiles: [PermittedFile] { files.map { PermittedFile(given: $0.given.reference, real: $0.real.reference) } }

    private static func path(_ text: String, of kind: String) throws(Unusable) -> AbsolutePath {
        do throws(AbsolutePath.Fault) { return try AbsolutePath(reference: text) } catch {
            if error == .notAbsolute { throw Unusable(description: "the \(kind) \(text) is not an absolute path") }
            throw Unusable(description: "the path of a \(kind) is longer than the system allows")
        }
    }

    /// The media roots with their symlinks resolved.
    public var realRoots: [FilePath] { roots.map(\.real.file) }
    /// The media roots as given on the command line.
    var rootPaths: [AbsolutePath] { roots.map(\.given) }
    /// The permitted files as given on the command line of this run or an earlier one.
    var filePaths: [AbsolutePath] { files.map(\.given) }

    /// Opens a file or folder. Throws `file-not-found` inside the media roots, and `outside-media-roots` for any path outside, whether or not it
    /// exists.
    func open(_ path: AbsolutePath) throws(Problem) -> PermittedPlace {
        let root = roots.first { $0.covers(path) }
        guard root != nil || filesByPath[path] != nil else { throw outside }
        guard let place = Self.place(path) else {
            guard filesByPath[path] == nil, let root else { throw notFound }
            throw missing(path, below: path.isInside(root.given) ? root.given : root.real)
        }
        guard permits(place, at: path) else { throw outside }
        return place
    }

    /// Opens a name of a folder; nil if it does not exist, or if it is a link that leads outside.
    func open(_ name: [UInt8], in folder: PermittedPlace) -> PermittedPlace? {
        guard let place = PermittedPlace(try? OpenFile(name, in: folder.file)) else { return nil }
        return permits(place, at: folder.path.appending(name)) ? place : nil
    }

    private func permits(_ place: PermittedPlace, at path: AbsolutePath) -> Bool {
        // The permission is for the file to which the path led when the command line named it.
        filesByPath[path].map { $0.real == place.path } ?? isInsideRoots(place.path)
    }

    /// Whether clients may use `path`, which is from `PermittedPlace` or `expectedPlace`, perhaps of an earlier run with other media roots. Only
    /// text is compared, so the path is to be opened without links (`MediaSource.followsLinks`).
    public func permits(resolved path: FilePath) -> Bool {
        guard let path = try? AbsolutePath(bytes: path.bytes) else { return false }
        return isInsideRoots(path) || realFiles.contains(path)
    }

    /// The path that a missing file will have after its creation: with its symlinks resolved, also those whose targets are missing.
    func expectedPlace(of path: AbsolutePath) -> AbsolutePath {
        filesByPath[path]?.real ?? Self.placeAfterCreation(of: path)
    }

    private static func placeAfterCreation(of path: AbsolutePath) -> AbsolutePath {
        var path = path
        for _ in 0..<maximumLinkCount {
            let depth = existingDepth(of: path)
            guard let place = place(path.prefix(depth)) else { return path }
            // The next segment is missing, or a symlink whose target is.
            guard depth < path.depth, let target = place.file.target(ofLink: path.prefix(depth + 1).nameBytes) else {
                return place.path.appending(path, after: depth)
            }
            let folder = target.first == UInt8(ascii: "/") ? [] : place.path.file.bytes + [UInt8(ascii: "/")]
            guard let followed = try? AbsolutePath(bytes: folder + target) else { return path }
            path = followed.appending(path, after: depth + 1)
        }
        return path
    }

    /// The number of symlinks that the system follows in a path.
    private static let maximumLinkCount = 40

    /// The problem of a missing file: `file-not-found` only if a folder inside the media roots lacks the name.
    private func missing(_ path: AbsolutePath, below root: AbsolutePath) -> Problem {
        let depth = min(Self.existingDepth(of: path), path.depth - 1)
        guard depth >= root.depth else { return notFound }
        guard let parent = Self.place(path.prefix(depth)), isInsideRoots(parent.path) else { return outside }
        // A symlink to a missing file is refused like one that leads outside: otherwise the answer would reveal which files exist there.
        let status = parent.file.status(ofName: path.prefix(depth + 1).nameBytes)
        return status?.isSymbolicLink ?? false ? outside : notFound
    }

    /// The number of leading segments that exist, by binary search: one by one, the cost would grow with the square of their number.
    static func existingDepth(of path: AbsolutePath, exists: (AbsolutePath) -> Bool = PathConfinement.exists) -> Int {
        var low = 0, high = path.depth
        while low < high {
            let middle = (low + high + 1) / 2
            if exists(path.prefix(middle)) { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The parent of a listed directory; nil for a media root.
    func visibleParent(of path: AbsolutePath) -> AbsolutePath? {
        guard !roots.contains(where: { $0.given == path || $0.real == path }), let parent = path.parent, roots.contains(where: { $0.covers(parent) })
        else {
            return nil
        }
        return parent
    }

    private var outside: Problem { Problem(.outsideMediaRoots, "Only files under the server's media roots can be used.") }
    private var notFound: Problem { Problem(.fileNotFound, "There is no file at this path.") }

    private func isInsideRoots(_ real: AbsolutePath) -> Bool { roots.contains { real.isInside($0.real) } }

    private static func place(_ path: AbsolutePath) -> PermittedPlace? { PermittedPlace(try? OpenFile(path.file)) }

    /// Whether a path exists; symlinks are followed.
    private static func exists(_ path: AbsolutePath) -> Bool { path.withCString { access($0, F_OK) } == 0 }
}
