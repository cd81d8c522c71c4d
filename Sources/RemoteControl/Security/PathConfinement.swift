import Glibc
public import Platform
public import Player

/// Decides which local files clients may use: everything below the media roots, and files that were permitted individually.
///
/// A path is checked twice: as text, and then with its symlinks resolved. So nothing outside the media roots can be read or listed, and no answer
/// reveals which files exist there. `openat2` with `RESOLVE_BENEATH` refuses absolute links and links between media roots, which are permitted here.
///
/// The resolved path is opened without following links (`MediaSource.followsLinks`): after the check, a user who can write into a media root may have
/// replaced a file or folder with a link.
///
/// The methods may access the file system and block, unless they compare text only.
public struct PathConfinement: Sendable {
    /// A permitted path, as given and with its symlinks resolved.
    private struct Place: Sendable {
        let given: AbsolutePath
        let real: AbsolutePath

        func covers(_ path: AbsolutePath) -> Bool { path.isInside(given) || path.isInside(real) }
    }

    /// A sentence for the user who started the server.
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

    /// Takes absolute paths (`FilePath.reference`). The roots must be readable directories, unless they do not exist yet, like a share that is not
    /// mounted; the files need not exist yet.
    public init(roots: [String] = [], files: [String] = []) throws(Unusable) {
        var rootPlaces: [Place] = []
        var missing: [FilePath] = []
        for root in roots {
            let given = try Self.path(root, of: "media root")
            guard let real = Self.realPath(given) else {
                let code = errno
                guard ![EACCES, ENOTDIR, ELOOP].contains(code) else {
                    throw Unusable(description: "the media root \(root) cannot be read: \(String(cString: strerror(code)))")
                }
                rootPlaces.append(Place(given: given, real: Self.placeAfterCreation(of: given)))
                missing.append(given.file)
                continue
            }
            guard Self.kind(of: real) == .directory, real.withCString({ access($0, R_OK | X_OK) }) == 0 else {
                throw Unusable(description: "the media root \(root) is not a directory that can be read")
            }
            rootPlaces.append(Place(given: given, real: real))
        }
        self.roots = rootPlaces
        missingRoots = missing
        for file in files {
            let given = try Self.path(file, of: "file")
            add(Place(given: given, real: Self.realPath(given) ?? given))
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

    enum Kind: Sendable { case directory, file, other }

    /// The media roots with their symlinks resolved.
    public var realRoots: [FilePath] { roots.map(\.real.file) }
    /// The media roots as given on the command line.
    var rootPaths: [AbsolutePath] { roots.map(\.given) }
    /// The permitted files as given on the command line of this run or an earlier one.
    var filePaths: [AbsolutePath] { files.map(\.given) }

    /// Resolves the symlinks of a path. Throws `file-not-found` inside the media roots, and `outside-media-roots` for any path outside, whether or
    /// not it exists.
    func resolve(_ path: AbsolutePath) throws(Problem) -> AbsolutePath {
        if let file = filesByPath[path] {
            // The permission is for the file to which the path led when the command line named it.
            guard let real = Self.realPath(path) else { throw notFound }
            guard real == file.real else { throw outside }
            return real
        }
        guard let root = roots.first(where: { $0.covers(path) }) else { throw outside }
        guard let real = Self.realPath(path) else { throw missing(path, below: path.isInside(root.given) ? root.given : root.real) }
        guard isInsideRoots(real) else { throw outside }
        return real
    }

    /// Whether clients may use `path`, which is from `resolve` or `expectedPlace`, perhaps of an earlier run with other media roots. Only
    /// text is compared.
    public func permits(resolved path: FilePath) -> Bool {
        guard let path = try? AbsolutePath(bytes: path.bytes) else { return false }
        return isInsideRoots(path) || realFiles.contains(path)
    }

    /// The path after the creation of a missing file: the existing part with its symlinks resolved, and the rest as given.
    func expectedPlace(of path: AbsolutePath) -> AbsolutePath {
        filesByPath[path]?.real ?? Self.placeAfterCreation(of: path)
    }

    private static func placeAfterCreation(of path: AbsolutePath) -> AbsolutePath {
        let depth = existingDepth(of: path)
        return realPath(path.prefix(depth))?.appending(path, after: depth) ?? path
    }

    /// The problem of a missing file: `file-not-found` only if the existing part of the path is inside the media roots.
    private func missing(_ path: AbsolutePath, below root: AbsolutePath) -> Problem {
        let depth = min(Self.existingDepth(of: path), path.depth - 1)
        let first = path.prefix(depth + 1)
        guard first.depth >= root.depth else { return notFound }
        // A symlink to a missing file is refused like one that leads outside: otherwise the answer would reveal which files exist there.
        if Self.isSymlink(first) { return outside }
        guard first.depth > root.depth else { return notFound }
        return Self.realPath(path.prefix(depth)).map(isInsideRoots) ?? false ? notFound : outside
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

    /// The kind of object at `path`, which is from `resolve`.
    static func kind(of path: AbsolutePath) -> Kind? {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFREG: return .file
        default: return .other
        }
    }

    private var outside: Problem { Problem(.outsideMediaRoots, "Only files under the server's media roots can be used.") }
    private var notFound: Problem { Problem(.fileNotFound, "There is no file at this path.") }

    private func isInsideRoots(_ real: AbsolutePath) -> Bool { roots.contains { real.isInside($0.real) } }

    private static func realPath(_ path: AbsolutePath) -> AbsolutePath? {
        guard let resolved = path.withCString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return try? AbsolutePath(bytes: Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved))))
    }

    /// Whether a path exists; symlinks are followed.
    private static func exists(_ path: AbsolutePath) -> Bool { path.withCString { access($0, F_OK) } == 0 }

    private static func isSymlink(_ path: AbsolutePath) -> Bool {
        var status = stat()
        return path.withCString { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
