import Glibc
import Platform
import PlaybackEngine

struct MediaLibrary: Sendable {
    /// The kind of an entry (`LibraryEntryKind` in openapi.yaml).
    enum Kind: String, Sendable { case directory, audio, playlist }

    struct Entry: Sendable {
        /// The name, in which U+FFFD replaces bytes that are not UTF-8.
        var name: String
        var path: AbsolutePath
        var kind: Kind
        /// The file; nil for a directory.
        var file: MediaSummaryReader.File?
    }

    struct Listing: Sendable {
        /// The listed directory; nil for the list of the media roots.
        var path: AbsolutePath?
        var parent: AbsolutePath?
        var entries: [Entry]
        var count: Int
        /// The number of entries before this page.
        var offset: Int
        /// The cursor of the next page; nil for the last page and for the list of the media roots.
        var next: Cursor?
        /// Whether some entries, beyond `maximumEntries`, may be reachable only by cursors and not by an offset.
        var isTruncated: Bool { count > MediaLibrary.maximumEntries }
    }

    /// The greatest number of entries in one listing; also the maximum offset.
    static let maximumEntries = 10_000
    /// The greatest number of names in a directory. A larger directory is refused: all names must be read before the first ones in order are known.
    static let maximumNames = 100_000
    /// The limit of the names and paths in a listing, in bytes: in deep folders each entry contains the long path twice.
    static let maximumTextSize = 8 << 20

    enum Opened {
        /// The open directory, which the caller closes.
        case directory(OpaquePointer)
        case failure(Int32)
    }

    let confinement: PathConfinement
    var order = NaturalOrder.standard
    var nameLimit = maximumNames
    var open: @Sendable (OpenFile) -> Opened = { folder in
        do throws(SystemError) { return .directory(try folder.directory()) } catch { return .failure(error.code) }
    }

    /// Lists the media roots and the individually permitted files. May block.
    func top(offset: Int = 0, limit: Int = maximumEntries) -> Listing {
        let directories = confinement.rootPaths.map { Entry(name: $0.name, path: $0, kind: .directory) }
        let files = confinement.filePaths.compactMap { path in
            (try? confinement.open(path)).flatMap {
                Self.file(path.name, at: path, resolved: $0.path, $0.file.status, kind: MediaExtension.kind(path.nameBytes) ?? .audio)
            }
        }
        let all = directories + files
        let start = min(offset, all.count)
        return Listing(path: nil, parent: nil, entries: Array(all[start...].prefix(limit)), count: all.count, offset: start)
    }

    /// Lists the directories under a media root, and after them the media files, each in natural order (`NaturalOrder`). Hidden files, and links
    /// that lead outside the media roots, are omitted. The order depends on the names only, so a name that exists while a client reads all pages
    /// is on exactly one.
    ///
    /// Returns one page. All names of the folder are read, but only the files of the page are examined. The call blocks.
    ///
    /// Throws `file-not-found`, or `unplayable-file` if the directory cannot be read or has more than `maximumNames` names.
    func list(_ path: AbsolutePath, after cursor: Cursor? = nil, offset: Int = 0, limit: Int = maximumEntries) throws(Problem) -> Listing {
        let folder = try confinement.open(path)
        if folder.kind == .file { throw Problem(.fileNotFound, "The path names a file, not a directory.", parameter: "path") }
        guard folder.kind == .directory else { throw Self.problem(ENOENT) }
        var examined = 0
        let names = try names(in: folder, examined: &examined)
        let place = cursor?.place(in: folder, confinement, order)
        let before = place.map { place in names.firstIndex { place.precedes($0.place) } ?? names.count } ?? 0
        let start = min(before + offset, names.count)
        var listing = Listing(path: path, parent: confinement.visibleParent(of: path), entries: [], count: names.count, offset: start)
        var textSize = 0
        var end = start
        for name in names[start...].prefix(limit) {
            guard textSize < Self.maximumTextSize else { break }
            end += 1
            if end < names.count { listing.next = Cursor(name.place) } else { listing.next = nil }
            guard let entry = entry(name, at: path, folder) else { continue }
            listing.entries.append(entry)
            // The size counts the name, the path, and the URL, in which a byte may need three.
            let nameSize = name.place.name.exact.count
            textSize += nameSize + 4 * (path.size + 1 + nameSize)
        }
        return listing
    }

    /// The place of a name in a listing: folders before files, each in natural order. Two names of one folder never have equal places.
    struct Place: Sendable {
        var isFolder: Bool
        var name: NaturalOrder.Key

        func precedes(_ other: Place) -> Bool { isFolder == other.isFolder ? name.precedes(other.name) : isFolder }
    }

    /// A name as the system reports it.
    struct Name: Sendable {
        var place: Place
        /// The type of the directory entry, such as `DT_REG`.
        var type: UInt8
    }

    /// The names that a listing of an open folder shows, in their order. Adds the number of names that the folder has to `examined`, also if it
    /// throws. Blocks.
    func names(in folder: PermittedPlace, examined: inout Int) throws(Problem) -> [Name] {
        let directory: OpaquePointer
        switch open(folder.file) {
        case .directory(let opened): directory = opened
        case .failure(let number): throw Self.problem(number)
        }
        defer { closedir(directory) }
        var names: [Name] = []
        let limit = examined + nameLimit
        while true {
            errno = 0
            guard let next = readdir(directory) else { break }
            examined += 1
            guard examined <= limit else {
                throw Problem(.unplayableFile, "The directory has more than \(nameLimit) names.", parameter: "path")
            }
            let (name, type) = (Self.name(of: next), next.pointee.d_type)
            guard name.first != UInt8(ascii: "."), let isFolder = isFolder(name, type, in: folder) else { continue }
            names.append(Name(place: Place(isFolder: isFolder, name: order.key(name)), type: type))
        }
        // After an error the page would look like the end of the directory.
        guard errno == 0 else { throw Self.problem(errno) }
        return names.sorted { $0.place.precedes($1.place) }
    }

    /// Whether a name is that of a folder; nil if a listing does not show it. A link, or a name without a type, is examined.
    private func isFolder(_ name: UnsafeBufferPointer<UInt8>, _ type: UInt8, in folder: PermittedPlace) -> Bool? {
        switch Int(type) {
        case Int(DT_DIR): return true
        case Int(DT_REG): return MediaExtension.kind(name) == nil ? nil : false
        case Int(DT_LNK), Int(DT_UNKNOWN):
            guard let place = confinement.open(Array(name), in: folder) else { return nil }
            switch place.kind {
            case .directory: return true
            case .file: return MediaExtension.kind(name) == nil ? nil : false
            case .other: return nil
            }
        default: return nil
        }
    }

    /// The entry of a name; nil if the file no longer exists, or if a listing does not show it. May block.
    func entry(_ name: Name, at path: AbsolutePath, _ parent: PermittedPlace) -> Entry? {
        let bytes = name.place.name.exact
        let text = String(decoding: bytes, as: UTF8.self)
        let entryPath = path.appending(bytes)
        func folder() -> Entry { Entry(name: text, path: entryPath, kind: .directory) }
        func file(_ resolved: AbsolutePath, _ status: FileStatus?) -> Entry? {
            MediaExtension.kind(bytes).flatMap { Self.file(text, at: entryPath, resolved: resolved, status, kind: $0) }
        }
        switch Int(name.type) {
        case Int(DT_DIR): return folder()
        case Int(DT_REG): return file(parent.path.appending(bytes), parent.file.status(ofName: bytes))
        default:
            guard let place = confinement.open(bytes, in: parent) else { return nil }
            return place.kind == .directory ? folder() : file(place.path, place.file.status)
        }
    }

    /// - Parameter number: The `errno` of the system.
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

    private static func file(_ name: String, at path: AbsolutePath, resolved: AbsolutePath, _ status: FileStatus?, kind: Kind) -> Entry? {
        FileIdentity(status).map { Entry(name: name, path: path, kind: kind, file: MediaSummaryReader.File(identity: $0, path: resolved)) }
    }

    /// The name of an entry, whose bytes are valid until the next entry is read.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> UnsafeBufferPointer<UInt8> {
        let start = UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: bytes, count: strlen(start.assumingMemoryBound(to: CChar.self)))
    }
}

extension MediaLibrary {
    /// The name after which a page of a listing begins. The entry need not exist any more.
    struct Cursor: Sendable {
        /// The name, percent-encoded; a slash after it marks a directory.
        let text: String
        private let name: [UInt8]
        private let isMarked: Bool
        /// Whether the name is that of a folder; nil if the text does not decide it.
        private let isFolder: Bool?

        init(_ place: Place) {
            name = place.name.exact
            isMarked = place.isFolder
            isFolder = place.isFolder
            text = PercentEncoding.encoded(name, keeping: PercentEncoding.isUnreserved) + (isMarked ? "/" : "")
        }

        /// Parses the `next` of a page, or a percent-encoded name.
        init?(_ text: String) {
            let isMarked = text.utf8.last == UInt8(ascii: "/")
            let encoded = text.utf8.dropLast(isMarked ? 1 : 0)
            guard encoded.allSatisfy({ PercentEncoding.isUnreserved($0) || "%!$&'()*+,;=:@".utf8.contains($0) }),
                let name = PercentEncoding.decodedBytes(Substring(encoded)), (1...AbsolutePath.maximumNameLength).contains(name.count),
                !name.contains(0), !name.contains(UInt8(ascii: "/"))
            else { return nil }
            self.text = text
            self.name = name
            self.isMarked = isMarked
            isFolder = isMarked ? true : MediaExtension.kind(name) == nil ? true : nil
        }

        /// The place of the name in a listing of `folder`. The name counts as a folder if it is marked as one, if `folder` has such a folder now, or
        /// if no media file can have it. May block.
        func place(in folder: PermittedPlace, _ confinement: PathConfinement, _ order: NaturalOrder) -> Place {
            let isFolder = isFolder ?? (confinement.open(name, in: folder)?.kind == .directory)
            return Place(isFolder: isFolder, name: order.key(name))
        }
    }
}

/// A file with its present content: the system's number, the size and the time of the last change. A renamed file keeps its identity.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let file: UInt64
    private let changed: Int64
    /// The size of the content, in bytes.
    let size: Int64

    /// The identity of a file by its status; nil if it is no regular file.
    init?(_ status: FileStatus?) {
        guard let status, status.isRegular else { return nil }
        (device, file, changed, size) = (status.device, status.file, status.changed, status.size)
    }
}
