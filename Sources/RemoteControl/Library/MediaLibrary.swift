import Glibc
import PlaybackEngine

/// The library lists the media files and folders of the server's machine that clients may use.
struct MediaLibrary: Sendable {
    /// The kind of an entry. The names are those of `LibraryEntryKind` in openapi.yaml.
    enum Kind: String, Sendable { case directory, audio, playlist }

    struct Entry: Sendable {
        var name: String
        var path: AbsolutePath
        var kind: Kind
        /// The description of the media file; nil for a directory.
        var file: MediaSummaryReader.File?
    }

    struct Listing: Sendable {
        /// The listed directory; nil for the list of the media roots.
        var path: AbsolutePath?
        var parent: AbsolutePath?
        var entries: [Entry]
        var isTruncated: Bool
    }

    /// The maximum number of entries in one listing.
    static let maximumEntries = 10_000
    /// The maximum number of file names that are examined for one listing, so that a directory with a million other files does not block the queue of
    /// listings.
    static let maximumExamined = 100_000
    /// The approximate maximum size of the names and paths in one listing, in bytes. In a deep folder each entry contains the long path twice.
    static let maximumTextSize = 8 << 20

    /// The result of opening a directory.
    enum Opened {
        /// The directory, which the caller closes.
        case directory(OpaquePointer)
        /// The error number of the system.
        case failure(Int32)
    }

    let confinement: PathConfinement
    /// Opens the directory at a path without links.
    var open: @Sendable (AbsolutePath) -> Opened = { path in opendir(path.text).map { .directory($0) } ?? .failure(errno) }

    /// Returns the list of the media roots and the individually permitted files. `top` may block.
    func top() -> Listing {
        let directories = confinement.rootPaths.map { Entry(name: $0.name, path: $0, kind: .directory) }
        let files = confinement.filePaths.compactMap { path in
            (try? confinement.resolve(path)).flatMap { Self.file(path.name, at: path, resolved: $0, kind: MediaExtension.kind(path.name) ?? .audio) }
        }
        return Listing(path: nil, parent: nil, entries: directories + files, isTruncated: false)
    }

    /// Returns the listing of a directory under a media root: the directories in it, and after them the media files, each sorted by name. Hidden
    /// files, and links that lead outside the media roots, are omitted. Throws `file-not-found` if there is no directory, and `unplayable-file` if
    /// the directory cannot be read. `list` may block.
    func list(_ path: AbsolutePath, limit: Int = maximumEntries) throws(Problem) -> Listing {
        let real = try confinement.resolve(path)
        if PathConfinement.kind(of: real) == .file { throw Problem(.fileNotFound, "The path names a file, not a directory.", parameter: "path") }
        guard PathConfinement.kind(of: real) == .directory else { throw Self.problem(ENOENT) }
        let directory: OpaquePointer
        switch open(real) {
        case .directory(let opened): directory = opened
        case .failure(let number): throw Self.problem(number)
        }
        defer { closedir(directory) }
        var directories: [Entry] = []
        var files: [Entry] = []
        var examined = 0
        var isTruncated = false
        var textSize = 0
        let pathSize = path.text.utf8.count
        while let next = readdir(directory) {
            guard let name = Self.name(of: next), !name.hasPrefix(".") else { continue }
            guard directories.count + files.count < limit, examined < Self.maximumExamined, textSize < Self.maximumTextSize else {
                isTruncated = true
                break
            }
            examined += 1
            guard let resolved = try? confinement.resolve(real.appending(name)) else { continue }
            let entryPath = path.appending(name)
            // The size of an entry is the size of its name, its path and its URL. A byte of the path may need three bytes in the URL.
            textSize += name.utf8.count + 4 * (pathSize + 1 + name.utf8.count)
            switch PathConfinement.kind(of: resolved) {
            case .directory: directories.append(Entry(name: name, path: entryPath, kind: .directory))
            case .file:
                guard let kind = MediaExtension.kind(name), let entry = Self.file(name, at: entryPath, resolved: resolved, kind: kind) else {
                    continue
                }
                files.append(entry)
            default: continue
            }
        }
        // The names of a folder are sorted at each request, so that the pages of a folder's listing fit together if the folder does not change.
        let entries = NaturalOrder.sorted(directories, by: \.name) + NaturalOrder.sorted(files, by: \.name)
        return Listing(path: path, parent: confinement.visibleParent(of: path), entries: entries, isTruncated: isTruncated)
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

    private static func file(_ name: String, at path: AbsolutePath, resolved: AbsolutePath, kind: Kind) -> Entry? {
        FileIdentity(resolved).map { Entry(name: name, path: path, kind: kind, file: MediaSummaryReader.File(identity: $0, path: resolved)) }
    }

    /// Returns the name of a directory entry; nil if the name is not UTF-8, because no accepted URL could contain it.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(validatingCString: $0) }
        }
    }
}

extension MediaLibrary.Listing {
    /// A page (a part of a listing), with the summaries of its media that are known.
    struct Page: Sendable {
        var listing: MediaLibrary.Listing
        /// The entries of the page, as a range of indices in the listing's entries.
        var range: Range<Int>
        var summaries: [FileIdentity: MediaSummary] = [:]

        /// The media of the page.
        var media: [MediaSummaryReader.File] { listing.entries[range].compactMap { $0.kind == .audio ? $0.file : nil } }
        /// Whether all media of the page have been read.
        var isComplete: Bool { media.allSatisfy { summaries[$0.identity] != nil } }
    }
}

extension MediaLibrary.Listing.Page {
    var json: [UInt8] {
        JSONWriter.object(capacity: 192 + range.count * 320) { writer in
            writer.member("path", ifPresent: listing.path?.text)
            writer.member("parent", ifPresent: listing.parent?.text)
            writer.member("count", listing.entries.count)
            writer.member("offset", range.lowerBound)
            writer.member("entries", array: listing.entries[range]) { writer, entry in writer.object { write(entry, &$0) } }
            writer.member("isTruncated", listing.isTruncated)
            writer.member("isComplete", isComplete)
        }
    }

    private func write(_ entry: MediaLibrary.Entry, _ writer: inout JSONWriter) {
        writer.member("name", entry.name)
        writer.member("path", entry.path.text)
        writer.member("kind", entry.kind.rawValue)
        guard let file = entry.file else { return }
        writer.member("url", entry.path.url)
        writer.member("size", file.identity.size)
        guard let summary = summaries[file.identity] else { return }
        writer.member("title", ifPresent: summary.title)
        writer.member("artist", ifPresent: summary.artist)
        writer.member("album", ifPresent: summary.album)
        writer.member("duration", ifPresent: summary.duration)
        writer.member("pictureId", ifPresent: summary.pictureID)
    }
}
