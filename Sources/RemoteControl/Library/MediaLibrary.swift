import Glibc
import Platform
import PlaybackEngine

/// The library lists the media files and folders of the server's machine that clients may use.
struct MediaLibrary: Sendable {
    /// The kind of an entry. The names are those of `LibraryEntryKind` in openapi.yaml.
    enum Kind: String, Sendable { case directory, audio, playlist }

    struct Entry: Sendable {
        /// The name, in the bytes of the file system.
        var name: [UInt8]
        /// The path; nil for the usual one, which is the name in the listed directory.
        var path: AbsolutePath?
        var kind: Kind
        /// The identity of the file; nil for a directory, and in a listing that looks at no files.
        var identity: FileIdentity?
        /// The path with links resolved, if it is not the name in the resolved directory.
        var resolved: AbsolutePath?
    }

    /// A page of a listing.
    struct Listing: Sendable {
        /// The listed directory; nil for the list of the media roots.
        var path: AbsolutePath?
        /// The listed directory with links resolved.
        var real: AbsolutePath?
        var parent: AbsolutePath?
        var entries: [Entry]
        /// The number of entries of all pages.
        var count: Int
        /// The number of entries before the first one of this page.
        var offset: Int
        /// The position after the last entry of this page; nil if no entries follow.
        var next: ListingPosition?
    }

    /// The part of a listing that is read.
    struct Part: Sendable {
        /// The position after which the page begins; nil for the start of the listing.
        var after: ListingPosition?
        /// The number of entries between `after` and the page.
        var offset = 0
        /// The largest number of entries of the page.
        var limit = maximumEntries
        /// Whether the files of the page are looked at, for their sizes.
        var readsFiles = true
    }

    /// The maximum number of entries in one page.
    static let maximumEntries = 10_000
    /// The largest offset of a page. Entries beyond it are reached with `after`.
    static let maximumOffset = 1_000_000
    /// The approximate maximum size of the names and paths in one page, in bytes. In a deep folder each entry contains the long path twice.
    static let maximumTextSize = 8 << 20
    /// The longest duration of one listing, in seconds.
    static let maximumTime = 30.0

    /// The result of opening a directory.
    enum Opened {
        /// The directory, which the caller closes.
        case directory(OpaquePointer)
        /// The error number of the system.
        case failure(Int32)
    }

    let confinement: PathConfinement
    var clock: any HostClock = MonotonicClock()
    /// Opens the directory at a path without links.
    var open: @Sendable (AbsolutePath) -> Opened = { path in
        let descriptor = path.withCString { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { return .failure(errno) }
        if let directory = fdopendir(descriptor) { return .directory(directory) }
        let number = errno
        close(descriptor)
        return .failure(number)
    }

    /// Returns a page of the list of the media roots and the individually permitted files, in the order of the command line. `top` may block.
    func top(_ part: Part = Part()) -> Listing {
        let directories = confinement.rootPaths.map { Entry(name: Array($0.nameBytes), path: $0, kind: .directory) }
        let files = confinement.filePaths.compactMap { path -> Entry? in
            guard let real = try? confinement.resolve(path), let identity = FileIdentity(real) else { return nil }
            let kind = MediaExtension.kind(path.nameBytes) ?? .audio
            return Entry(name: Array(path.nameBytes), path: path, kind: kind, identity: identity, resolved: real)
        }
        let all = directories + files
        // The list is the same in a run, so that a position is a number.
        let after = part.after.flatMap { $0.kind == .root ? Int(String(decoding: $0.name, as: UTF8.self)) : nil } ?? 0
        let start = min(max(0, after) + part.offset, all.count)
        let end = min(start + part.limit, all.count)
        return Listing(
            path: nil, parent: nil, entries: Array(all[start..<end]), count: all.count, offset: start,
            next: end < all.count ? ListingPosition(.root, Array(String(end).utf8)) : nil)
    }

    /// Returns a page of the listing of a directory under a media root: the directories in it, and after them the media files, each sorted by name.
    /// Hidden files, and links that lead outside the media roots, are omitted. Throws `file-not-found` if there is no directory, and
    /// `unplayable-file` if the directory cannot be read, or not in time. `list` may block.
    ///
    /// All names are read for each page, and those of the page kept. Only the files of the page are looked at.
    func list(_ path: AbsolutePath, _ part: Part = Part()) throws(Problem) -> Listing {
        let real = try confinement.resolve(path)
        if PathConfinement.kind(of: real) == .file { throw Problem(.fileNotFound, "The path names a file, not a directory.", parameter: "path") }
        guard PathConfinement.kind(of: real) == .directory else { throw Self.problem(ENOENT) }
        let directory: OpaquePointer
        switch open(real) {
        case .directory(let opened): directory = opened
        case .failure(let number): throw Self.problem(number)
        }
        let deadline = clock.now + Self.maximumTime
        let scan = FolderScan(directory, confinement) { [clock] () throws(Problem) in
            guard clock.now < deadline else { throw Self.lateness }
        }
        // A link may have replaced a part of the path since it was resolved.
        guard scan.path == real.file.bytes else { throw Self.problem(ENOENT) }
        let (selection, skipped, offset) = try Self.select(part, scan)
        var listing = Listing(
            path: path, real: real, parent: confinement.visibleParent(of: path), entries: [], count: selection.count, offset: offset)
        listing.entries.reserveCapacity(selection.selectedCount - skipped)
        var textSize = 0
        for number in skipped..<max(skipped, selection.selectedCount) {
            let name = selection.name(number), item = selection.item(number)
            // The size of an entry is the size of its name, its path and its URL. A byte of the path may need three bytes in the URL.
            textSize += name.count + 4 * (path.file.bytes.count + 1 + name.count)
            if textSize > Self.maximumTextSize, number > skipped { return listing }
            if let entry = Self.entry(Array(name), item, scan, part.readsFiles) { listing.entries.append(entry) }
            let isLast = number == selection.selectedCount - 1 && !selection.isCut
            listing.next = isLast ? nil : ListingPosition(item.kind == .directory ? .folder : .file, Array(name))
        }
        return listing
    }

    /// Reads the names of a directory, and selects those of a page. An offset beyond the memory for names is reached in several readings.
    ///
    /// - Returns: The selected names, the number of the first ones that are before the page, and the number of all names before the page.
    static func select(
        _ part: Part, _ scan: borrowing FolderScan, maximumSelected: Int = MediaLibrary.maximumSelected
    ) throws(Problem) -> (NameSelection, skipped: Int, offset: Int) {
        var (start, skipped) = (part.after, part.offset)
        while true {
            var selection = NameSelection(after: start, wanted: min(skipped + part.limit, maximumSelected))
            try scan.read(into: &selection)
            selection.prune()
            let found = selection.selectedCount
            guard selection.isCut, found <= skipped, found > 0 else {
                let before = min(skipped, found)
                return (selection, before, selection.countBefore + before)
            }
            start = ListingPosition(selection.item(found - 1).kind == .directory ? .folder : .file, Array(selection.name(found - 1)))
            skipped -= found
        }
    }

    /// The largest number of names that are kept in one reading of a directory.
    static let maximumSelected = 50_000

    /// Returns the entry with a name; nil if it has disappeared since the name was read.
    private static func entry(
        _ name: [UInt8], _ item: NameSelection.Item, _ scan: borrowing FolderScan, _ readsFiles: Bool
    ) -> Entry? {
        guard readsFiles, item.kind != .directory else { return Entry(name: name, kind: item.kind) }
        guard item.isLink else { return scan.identity(of: name).map { Entry(name: name, kind: item.kind, identity: $0) } }
        guard let target = scan.target(of: name), let identity = target.file else { return nil }
        return Entry(name: name, kind: item.kind, identity: identity, resolved: target.path)
    }

    private static var lateness: Problem {
        var problem = Problem(.unplayableFile, "The directory could not be read within \(Int(maximumTime)) seconds.", parameter: "path")
        problem.reason = .timedOut
        return problem
    }

    /// Returns the problem of a directory that cannot be opened.
    /// - Parameter number: The error number of the system.
    private static func problem(_ number: Int32) -> Problem {
        switch number {
        case ENOENT, ENOTDIR, ELOOP: return Problem(.fileNotFound, "There is no directory at this path.", parameter: "path")
        case EACCES, EPERM:
            var problem = Problem(.unplayableFile, "The server has no permission to read the directory.", parameter: "path")
            problem.reason = .permissionDenied
            return problem
        default: return Problem(.unplayableFile, "The directory cannot be read.", parameter: "path")
        }
    }

    /// Returns the name of a directory entry; nil if the name is not UTF-8, which no name of ours is.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(validatingCString: $0) }
        }
    }
}
