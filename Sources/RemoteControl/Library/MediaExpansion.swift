import Platform
import PlaybackEngine
import Player

/// Finds the media that a folder or a playlist file of this machine stands for, in order. All methods may block.
///
/// Folders are expanded recursively, in the order of their listings. Subfolders that cannot be read and playlist files inside a folder are skipped. A
/// playlist file may name files, URLs, folders and other playlist files. Everything on this machine must be inside the media roots. A line that
/// cannot be used becomes an `unusable` medium with the problem.
struct MediaExpansion: Sendable {
    /// The time limit of all expansions of one request, in seconds.
    static let maximumTime = 10.0
    static let maximumContainers = 10_000
    /// The limit of the names in all folders; a name counts each time that its folder is listed. 64 bytes of a playlist file count as a name.
    static let maximumNames = 2 * MediaLibrary.maximumNames
    /// The limit of folders and playlist files inside each other.
    static let maximumDepth = 32
    /// The limit of playlist files inside each other.
    static let maximumListDepth = 3
    /// The greatest size of a playlist file, in bytes.
    static let maximumListSize = PlaylistFile.maximumSize

    struct Found: Sendable {
        enum Medium: Sendable {
            /// A file. If a playlist file names it, it is not checked yet and need not exist.
            case file(AbsolutePath)
            case remote(url: String)
            /// A line that cannot be used. The URL is its text, in a form that clients may see.
            case unusable(url: String, Problem)
        }
        var medium: Medium
        var title: String?
        /// The duration that the playlist file states, in seconds.
        var duration: Double?
        /// The place in the playlist file, such as "Line 3 of “list.m3u”"; nil for a file of a folder.
        var position: String?
    }

    private enum Outcome {
        /// The path names a container, whose media were added, unless the expansion is already inside of it.
        case container
        /// The path cannot be read, or clients may not use it.
        case unusable(Problem)
        /// The path names a file, a playlist file that describes one stream, or nothing.
        case other
    }

    let library: MediaLibrary
    let clock: any HostClock
    let deadline: HostTime
    let maximumCount: Int
    var nameLimit = maximumNames
    /// The limit of the paths of all media, in bytes: a queue has no more text, and in deep folders each path is long.
    var textLimit = PlaylistMachine.maximumTextSize

    private var found: [Found] = []
    private var textSize = 0
    private var containers = 0
    private var names = 0
    private var listDepth = 0
    /// The folders and playlist files that are being expanded now, with links resolved. One that is named again inside itself is skipped: otherwise
    /// the expansion would not end.
    private var parents: [AbsolutePath] = []

    init(library: MediaLibrary, clock: any HostClock, deadline: HostTime, maximumCount: Int) {
        self.library = library
        self.clock = clock
        self.deadline = deadline
        self.maximumCount = maximumCount
    }

    /// Finds the media of a path; nil if it names neither a folder nor a playlist file.
    static func media(of path: AbsolutePath, with expansion: MediaExpansion) throws(Problem) -> [Found]? {
        var expansion = expansion
        switch try expansion.expand(path) {
        case .other: return nil
        case .unusable(let problem): throw problem
        case .container: break
        }
        guard !expansion.found.isEmpty else { throw Problem(.unplayableFile, "The folder or playlist file contains no media.") }
        return expansion.found
    }

    static func requireTime(until deadline: HostTime, by clock: any HostClock) throws(Problem) {
        guard clock.now < deadline else {
            var problem = Problem(.unplayableFile, "The folder or playlist file could not be read within \(Int(maximumTime)) seconds.")
            problem.reason = .timedOut
            throw problem
        }
    }

    // The following methods throw only if a limit was exceeded. The problem of one folder, file or line is returned as an `Outcome`.

    private mutating func expand(_ path: AbsolutePath) throws(Problem) -> Outcome {
        let place: PermittedPlace
        do throws(Problem) { place = try library.confinement.open(path) } catch { return error.code == .fileNotFound ? .other : .unusable(error) }
        switch (place.kind, PlaylistFile.Format(name: place.path.name)) {
        case (.directory, _):
            guard !parents.contains(place.path) else { return .container }
            try enter(place.path)
            defer { parents.removeLast() }
            return try walk(place, at: path)
        case (.file, let format?):
            // The playlist file is recorded before it is read, so that a file that names itself is read once.
            guard !parents.contains(place.path) else { return .container }
            try enter(place.path)
            defer { parents.removeLast() }
            return try readLines(of: path, place, format)
        default: return .other
        }
    }

    private mutating func enter(_ real: AbsolutePath) throws(Problem) {
        containers += 1
        guard parents.count < Self.maximumDepth, containers <= Self.maximumContainers, names <= nameLimit else {
            throw Problem(.unplayableFile, "The folder or playlist file contains too many others, or too deep ones.")
        }
        try Self.requireTime(until: deadline, by: clock)
        parents.append(real)
    }

    private mutating func walk(_ folder: PermittedPlace, at path: AbsolutePath) throws(Problem) -> Outcome {
        let listed: [MediaLibrary.Name]
        do throws(Problem) { listed = try library.names(in: folder, examined: &names) } catch {
            var problem = error
            problem.parameter = nil
            return .unusable(problem)
        }
        for name in listed {
            try Self.requireTime(until: deadline, by: clock)
            guard let entry = library.entry(name, at: path, folder) else { continue }
            switch entry.kind {
            // A folder that cannot be read, such as `lost+found`, is skipped.
            case .directory: _ = try expand(entry.path)
            case .audio: try add(Found(medium: .file(entry.path)))
            // The media of the playlist file are usually in the folder too.
            case .playlist: continue
            }
        }
        return .container
    }

    private mutating func readLines(of path: AbsolutePath, _ place: PermittedPlace, _ format: PlaylistFile.Format) throws(Problem) -> Outcome {
        guard listDepth < Self.maximumListDepth else {
            return .unusable(Problem(.unplayableFile, "The playlist is inside more than \(Self.maximumListDepth - 1) other playlists."))
        }
        let list: PlaylistFile?
        do throws(Problem) { list = try read(place.file, format) } catch { return .unusable(error) }
        guard let list else { return .other }
        listDepth += 1
        defer { listDepth -= 1 }
        for line in list.lines { try add(line, of: path) }
        return .container
    }

    /// Adds the media of a line. A line that cannot be used does not end the expansion.
    private mutating func add(_ line: PlaylistFile.Line, of list: AbsolutePath) throws(Problem) {
        try Self.requireTime(until: deadline, by: clock)
        let title = line.title.flatMap { $0.utf8.count > PlayerState.Item.maximumTextLength || $0.utf8.contains(0) ? nil : $0 }
        func found(_ medium: Found.Medium) -> Found {
            Found(medium: medium, title: title, duration: line.duration, position: "Line \(line.number) of “\(list.name)”")
        }
        let named: AbsolutePath?
        do throws(Problem) { named = try line.path(below: list.parent ?? list, in: library.confinement) } catch {
            return try add(found(.unusable(url: line.shownURL, error)))
        }
        guard let path = named else { return try add(found(.remote(url: line.location))) }
        if MediaExtension.kind(path.nameBytes) != .audio {
            switch try expand(path) {
            case .container: return
            case .unusable(let problem): return try add(found(.unusable(url: path.url, problem)))
            case .other: break
            }
        }
        try add(found(.file(path)))
    }

    private mutating func add(_ medium: Found) throws(Problem) {
        guard found.count < maximumCount else { throw Problem(.tooManyEntries(maximum: PlaylistMachine.maximumCount)) }
        if case .file(let path) = medium.medium { textSize += path.size }
        guard textSize <= textLimit else { throw Problem(.queueTooLarge(maximum: PlaylistMachine.maximumTextSize)) }
        found.append(medium)
    }

    /// Reads a playlist file; nil if it describes one stream.
    private mutating func read(_ file: OpenFile, _ format: PlaylistFile.Format) throws(Problem) -> PlaylistFile? {
        guard let content = file.content(sizes: 0...Self.maximumListSize) else {
            throw Problem(.unplayableFile, "The playlist file cannot be read, or has more than \(Self.maximumListSize) bytes.")
        }
        names += content.count / 64
        // The content decides: an M3U file may be named like a PLS file.
        var found = format
        if case .list(let actual) = ContentKind(content, isWhole: true, hint: format) { found = actual }
        let list = PlaylistFile(content, format: found)
        guard !list.isTooLong else { throw Problem(.tooManyEntries(maximum: PlaylistFile.maximumCount)) }
        return list.isStream ? nil : list
    }
}
