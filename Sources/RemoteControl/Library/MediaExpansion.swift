import Glibc
import Platform
import Playlist

/// Finds the media that a folder or a playlist file of this machine stands for, in order. All methods may block.
///
/// A folder is walked recursively, in the order in which a listing shows it: its folders, then its media files. A playlist file may name files, URLs,
/// folders and other playlist files. Everything on this machine must be inside the media roots.
struct MediaExpansion: Sendable {
    /// The longest duration of the expansions of one request, in seconds.
    static let maximumTime = 10.0
    /// The largest number of folders and playlist files of one request.
    static let maximumContainers = 10_000
    /// The largest depth of folders in folders, and of playlist files in playlist files.
    static let maximumDepth = 32
    /// The largest size of a playlist file, in bytes.
    static let maximumListSize = 1 << 20

    /// A medium that was found.
    enum Found: Sendable {
        /// A file or path, which need not exist if a playlist file names it.
        case file(AbsolutePath, title: String?)
        case remote(url: String, title: String?)
    }

    let library: MediaLibrary
    let clock: any HostClock
    /// The time at which the expansion fails.
    let deadline: HostTime
    /// The largest number of media.
    let maximumCount: Int

    private var found: [Found] = []
    private var containers = 0
    /// The folders that contain the present one, with links resolved, so that a link to one of them ends the walk there.
    private var parents: [AbsolutePath] = []

    init(library: MediaLibrary, clock: any HostClock, deadline: HostTime, maximumCount: Int) {
        self.library = library
        self.clock = clock
        self.deadline = deadline
        self.maximumCount = maximumCount
    }

    /// Returns the media of the folder or playlist file at a path; nil if the path names neither.
    static func media(of path: AbsolutePath, with expansion: MediaExpansion) throws(Problem) -> [Found]? {
        var expansion = expansion
        guard try expansion.expand(path) else { return nil }
        guard !expansion.found.isEmpty else { throw Problem(.unplayableFile, "The folder or playlist file contains no media.") }
        return expansion.found
    }

    /// Adds the media of a folder or playlist file. Returns false if the path names neither.
    private mutating func expand(_ path: AbsolutePath) throws(Problem) -> Bool {
        try checkTime()
        let real = try library.confinement.resolve(path)
        let format = PlaylistFile.Format(name: real.name)
        switch PathConfinement.kind(of: real) {
        case .directory:
            guard !parents.contains(real) else { return true }
            try enter(real)
            defer { parents.removeLast() }
            try walk(path)
        case .file where format != nil:
            // A list that contains itself is not read again, and every reading counts against the limits, also of a list that names one stream.
            guard let format, !parents.contains(real) else { return true }
            try enter(real)
            defer { parents.removeLast() }
            guard let list = try Self.read(real, format) else { return false }
            for line in list.lines { try add(line, below: path.parent ?? path) }
        default: return false
        }
        return true
    }

    private mutating func enter(_ real: AbsolutePath) throws(Problem) {
        containers += 1
        guard parents.count < Self.maximumDepth, containers <= Self.maximumContainers else {
            throw Problem(.unplayableFile, "The folder or playlist file contains too many others, or too deep ones.")
        }
        parents.append(real)
    }

    private func checkTime() throws(Problem) {
        guard clock.now < deadline else {
            throw Problem(.unplayableFile, "The folder or playlist file could not be read within \(Int(Self.maximumTime)) seconds.")
        }
    }

    private mutating func walk(_ path: AbsolutePath) throws(Problem) {
        let listing = try library.list(path)
        guard !listing.isTruncated else { throw Problem(.tooManyEntries(maximum: PlaylistMachine.maximumCount)) }
        for entry in listing.entries {
            switch entry.kind {
            case .directory: _ = try expand(entry.path)
            case .audio: try add(.file(entry.path, title: nil))
            // The media of a playlist file in a folder are usually in the folder too, so the file would add them a second time.
            case .playlist: continue
            }
        }
    }

    private mutating func add(_ line: PlaylistFile.Line, below folder: AbsolutePath) throws(Problem) {
        let title = line.title.flatMap { $0.utf8.count > PlayerState.Item.maximumTextLength || $0.utf8.contains(0) ? nil : $0 }
        if let scheme = MediaLocator.scheme(of: line.location), !scheme.utf8.elementsEqual("file".utf8) {
            return try add(.remote(url: line.location, title: title))
        }
        let isURL = MediaLocator.scheme(of: line.location) != nil
        let isAbsolute = line.location.utf8.first == UInt8(ascii: "/")
        let path =
            try isURL
            ? MediaLocator.path(ofFileURL: line.location, pointer: "")
            : MediaLocator.path(isAbsolute ? line.location : folder.text + "/" + line.location, pointer: "")
        do throws(Problem) {
            if MediaExtension.kind(path.name) != .audio, try expand(path) { return }
        } catch {
            // A missing file becomes an entry with its failure, so that the others can be played. Everything else refuses the request.
            guard error.code == .fileNotFound else { throw error }
        }
        try add(.file(path, title: title))
    }

    private mutating func add(_ medium: Found) throws(Problem) {
        guard found.count < maximumCount else { throw Problem(.tooManyEntries(maximum: PlaylistMachine.maximumCount)) }
        found.append(medium)
    }

    /// Reads a playlist file; nil if it describes one stream. Links are not followed, because the path was resolved before.
    private static func read(_ real: AbsolutePath, _ format: PlaylistFile.Format) throws(Problem) -> PlaylistFile? {
        let unreadable = Problem(.unplayableFile, "The playlist file cannot be read.")
        let descriptor = open(real.text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumListSize + 1)
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count) }
            if length == 0 { break }
            guard length > 0 else { throw unreadable }
            count += length
        }
        guard count <= maximumListSize else {
            throw Problem(.unplayableFile, "A playlist file may have at most \(maximumListSize) bytes.")
        }
        let list = PlaylistFile(Array(bytes[..<count]), format: format)
        return list.isStream ? nil : list
    }
}
