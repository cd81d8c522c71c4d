import Glibc

/// Which local files a remote may use: everything below the media roots, and files that were permitted one by one.
///
/// A path is first compared as text. Only where it lies under a root does anything look at the file system, and then the place where it really is,
/// every symlink followed, must lie under a root too. So nothing outside can be read or listed, and no answer depends on what exists there.
/// `openat2` with `RESOLVE_BENEATH` would be shorter, but it refuses absolute links and links from one root into another, which are followed here.
/// A check and the later opening are two moments: who can write into a media root can put a link in the place of a file or folder in between. So the
/// resolved path is what is opened, and whoever opens it follows no link (`MediaSource.followsLinks`).
///
/// Its methods ask the file system and may block.
public struct PathConfinement: Sendable {
    /// A place as it was given and as it really is.
    private struct Place: Sendable {
        let given: AbsolutePath
        let real: AbsolutePath

        func covers(_ path: AbsolutePath) -> Bool { path.isInside(given) || path.isInside(real) }
    }

    /// Why a media root or a permitted file cannot be used, in a sentence for the person who started the server.
    public struct Unusable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    private let roots: [Place]
    private let files: [Place]

    /// Takes absolute paths. Roots must be readable directories; files need not exist yet.
    public init(roots: [String] = [], files: [String] = []) throws(Unusable) {
        var rootPlaces: [Place] = []
        for root in roots {
            let given = try Self.path(root, of: "media root")
            guard let real = Self.realPath(given), Self.kind(of: real) == .directory, access(real.text, R_OK | X_OK) == 0 else {
                throw Unusable(description: "the media root \(root) is not a directory that can be read")
            }
            rootPlaces.append(Place(given: given, real: real))
        }
        self.roots = rootPlaces
        var filePlaces: [Place] = []
        for file in files {
            let given = try Self.path(file, of: "file")
            filePlaces.append(Place(given: given, real: Self.realPath(given) ?? given))
        }
        self.files = filePlaces
    }

    private static func path(_ text: String, of kind: String) throws(Unusable) -> AbsolutePath {
        do throws(AbsolutePath.Fault) { return try AbsolutePath(text) } catch {
            if error == .notAbsolute { throw Unusable(description: "the \(kind) \(text) is not an absolute path") }
            throw Unusable(description: "the path of a \(kind) is longer than the system takes")
        }
    }

    /// What a path leads to.
    enum Kind: Sendable { case directory, file, other }

    /// The roots as they were given.
    var rootPaths: [AbsolutePath] { roots.map(\.given) }
    /// The files that were permitted one by one, as they were given.
    var filePaths: [AbsolutePath] { files.map(\.given) }

    /// Where `path` really is. `outside-media-roots` tells nothing of whether it exists; `file-not-found` only comes from inside.
    func resolve(_ path: AbsolutePath) throws(Problem) -> AbsolutePath {
        if let file = files.first(where: { $0.given == path || $0.real == path }) {
            // Permitted as the file it was when the server started: another that a symlink leads to since is not.
            guard let real = Self.realPath(path) else { throw notFound }
            guard real == file.real else { throw outside }
            return real
        }
        guard let root = roots.first(where: { $0.covers(path) }) else { throw outside }
        guard let real = Self.realPath(path) else { throw missing(path, below: path.isInside(root.given) ? root.given : root.real) }
        guard isInsideRoots(real) else { throw outside }
        return real
    }

    /// Where a file that `resolve` did not find will be once it is there: what exists of its path as it really is, the rest as given.
    func expectedPlace(of path: AbsolutePath) -> AbsolutePath {
        if let file = files.first(where: { $0.given == path || $0.real == path }) { return file.real }
        let depth = Self.existingDepth(of: path)
        return Self.realPath(path.prefix(depth))?.appending(path, after: depth) ?? path
    }

    /// Why a path under `root` has no real place: it does not exist, or cannot be looked at. That may only be told if the part that does exist is inside.
    private func missing(_ path: AbsolutePath, below root: AbsolutePath) -> Problem {
        let depth = min(Self.existingDepth(of: path), path.depth - 1)
        let first = path.prefix(depth + 1)
        guard first.depth >= root.depth else { return notFound }
        // A symlink that leads nowhere is refused like one that leads outside: else it would tell what exists there.
        if Self.isSymlink(first) { return outside }
        guard first.depth > root.depth else { return notFound }
        return Self.realPath(path.prefix(depth)).map(isInsideRoots) ?? false ? notFound : outside
    }

    /// How many segments of a path exist, from the root on. What lies in something that does not exist does not exist either: so a dozen looks find the
    /// end, where one for each segment would take the square of their number.
    static func existingDepth(of path: AbsolutePath, exists: (AbsolutePath) -> Bool = PathConfinement.exists) -> Int {
        var low = 0, high = path.depth
        while low < high {
            let middle = (low + high + 1) / 2
            if exists(path.prefix(middle)) { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The parent to go up to in a listing; nil for a root.
    func visibleParent(of path: AbsolutePath) -> AbsolutePath? {
        guard !roots.contains(where: { $0.given == path || $0.real == path }), let parent = path.parent, roots.contains(where: { $0.covers(parent) })
        else {
            return nil
        }
        return parent
    }

    /// What is at a path that `resolve` gave.
    static func kind(of path: AbsolutePath) -> Kind? {
        var status = stat()
        guard stat(path.text, &status) == 0 else { return nil }
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
        guard let resolved = realpath(path.text, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved).flatMap { try? AbsolutePath($0) }
    }

    /// Whether a path leads to anything, symlinks followed: one walk by the kernel.
    private static func exists(_ path: AbsolutePath) -> Bool { access(path.text, F_OK) == 0 }

    private static func isSymlink(_ path: AbsolutePath) -> Bool {
        var status = stat()
        return lstat(path.text, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
