import Glibc

/// Which local files a remote may use: everything below the media roots, and files that were permitted one by one.
///
/// A path is first compared as text. Only where it lies under a root does anything look at the file system, and then the place where it really is,
/// every symlink followed, must lie under a root too. So nothing outside can be read or listed, and no answer depends on what exists there.
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
            guard let given = AbsolutePath(root) else { throw Unusable(description: "the media root \(root) is not an absolute path") }
            guard let real = Self.realPath(given), Self.kind(of: real) == .directory, access(real.text, R_OK | X_OK) == 0 else {
                throw Unusable(description: "the media root \(root) is not a directory that can be read")
            }
            rootPlaces.append(Place(given: given, real: real))
        }
        self.roots = rootPlaces
        var filePlaces: [Place] = []
        for file in files {
            guard let given = AbsolutePath(file) else { throw Unusable(description: "the file \(file) is not an absolute path") }
            filePlaces.append(Place(given: given, real: Self.realPath(given) ?? given))
        }
        self.files = filePlaces
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
        guard let real = Self.realPath(path) else {
            // It does not exist, or cannot be looked at. That may only be told where the part that does exist is inside.
            var ancestor = path
            while true {
                // A symlink that leads nowhere is refused like one that leads outside: else it would tell what exists there.
                if Self.isSymlink(ancestor), Self.realPath(ancestor) == nil { throw outside }
                guard ancestor != root.given, ancestor != root.real, let parent = ancestor.parent else { throw notFound }
                ancestor = parent
                if let real = Self.realPath(ancestor) {
                    guard isInsideRoots(real) else { throw outside }
                    throw notFound
                }
            }
        }
        guard isInsideRoots(real) else { throw outside }
        return real
    }

    /// Where a file that `resolve` did not find will be once it is there: what exists of its path as it really is, the rest as given.
    func expectedPlace(of path: AbsolutePath) -> AbsolutePath {
        if let file = files.first(where: { $0.given == path || $0.real == path }) { return file.real }
        var (ancestor, rest) = (path, [String]())
        while let parent = ancestor.parent {
            if let real = Self.realPath(ancestor) { return AbsolutePath(([real.text] + rest.reversed()).joined(separator: "/")) ?? path }
            rest.append(ancestor.name)
            ancestor = parent
        }
        return path
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
        return String(validatingCString: resolved).flatMap(AbsolutePath.init)
    }

    private static func isSymlink(_ path: AbsolutePath) -> Bool {
        var status = stat()
        return lstat(path.text, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
