import Glibc

/// Lists the media files and folders of this machine that clients may use.
struct MediaLibrary: Sendable {
    struct Entry: Sendable, Equatable {
        var name: String
        var path: AbsolutePath
        /// The file's size in bytes; nil for a directory.
        var size: Int64?
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
    /// The maximum number of file names that are examined for one listing, so that a directory with a million other files does not block the queue.
    static let maximumExamined = 100_000
    /// The approximate maximum size of the names and paths in one listing, in bytes. In a deep folder each entry contains the long path twice.
    static let maximumTextSize = 8 << 20

    let confinement: PathConfinement

    /// Returns the list of the media roots and the individually permitted files. May block.
    func top() -> Listing {
        let directories = confinement.rootPaths.map { Entry(name: $0.name, path: $0, size: nil) }
        let files = confinement.filePaths.compactMap { path in
            Self.fileSize(path).map { Entry(name: path.name, path: path, size: $0) }
        }
        return Listing(path: nil, parent: nil, entries: directories + files, isTruncated: false)
    }

    /// Returns the listing of a directory under a media root: first its directories, then its media files, each sorted by name. Hidden files, and
    /// links that lead outside the media roots, are omitted. May block.
    func list(_ path: AbsolutePath, limit: Int = maximumEntries) throws(Problem) -> Listing {
        let real = try confinement.resolve(path)
        if PathConfinement.kind(of: real) == .file { throw Problem(.fileNotFound, "The path names a file, not a directory.", parameter: "path") }
        guard PathConfinement.kind(of: real) == .directory, let directory = opendir(real.text) else {
            throw Problem(.fileNotFound, "There is no directory at this path.", parameter: "path")
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
            // Count the size of an entry's name, path and URL. In the URL a byte may need three bytes.
            textSize += name.utf8.count + 4 * (pathSize + 1 + name.utf8.count)
            switch PathConfinement.kind(of: resolved) {
            case .directory: directories.append(Entry(name: name, path: entryPath, size: nil))
            case .file where MediaExtension.isKnown(name): files.append(Entry(name: name, path: entryPath, size: Self.fileSize(resolved) ?? 0))
            default: continue
            }
        }
        let entries = NaturalOrder.sorted(directories, by: \.name) + NaturalOrder.sorted(files, by: \.name)
        return Listing(path: path, parent: confinement.visibleParent(of: path), entries: entries, isTruncated: isTruncated)
    }

    private static func fileSize(_ path: AbsolutePath) -> Int64? {
        var status = stat()
        guard stat(path.text, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Returns the name of a directory entry; nil if the name is not UTF-8, because no accepted URL could contain it.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(validatingCString: $0) }
        }
    }
}

extension MediaLibrary.Listing {
    var json: [UInt8] {
        JSONWriter.object(capacity: 128 + entries.count * 192) { writer in
            writer.member("path", ifPresent: path?.text)
            writer.member("parent", ifPresent: parent?.text)
            writer.member("entries", array: entries) { writer, entry in
                writer.object { writer in
                    writer.member("name", entry.name)
                    writer.member("path", entry.path.text)
                    writer.member("kind", entry.size == nil ? "directory" : "audio")
                    if let size = entry.size {
                        writer.member("url", entry.path.url)
                        writer.member("size", size)
                    }
                }
            }
            writer.member("isTruncated", isTruncated)
        }
    }
}
