import Glibc
import Platform
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Lines, folders and files that a folder or playlist file names and that cannot be used, and the deadline of their expansion.
@MainActor @Suite struct QueueListTests {
    private let home: TemporaryDirectory
    private let rig: TestRig

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        for name in ["music", "music/album", "music/album/locked", "music/album/open"] { try home.directory(name) }
        for name in ["album/a.flac", "album/locked/b.flac", "album/open/c.flac", "Artist: Song.mp3"] { try home.file("music/" + name) }
        try home.file("outside.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    /// Replaces the queue by one URL under the home, and returns the answer.
    private func put(_ name: String, _ more: String = "") async -> Reply {
        await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[{\"url\":\"\(home.path)/\(name)\"}]\(more)}")
    }

    private func path(_ name: String) throws -> AbsolutePath { try AbsolutePath(home.path + "/" + name) }

    private func confinement() throws -> PathConfinement { try PathConfinement(roots: [home.path + "/music"]) }

    /// Returns the problem that `work` throws; nil if it throws none.
    private func problem<T>(_ work: () async throws -> T) async -> Problem? {
        do { _ = try await work() } catch { return error as? Problem }
        return nil
    }

    // MARK: The deadline

    /// A clock that advances by 10 ms at each reading, as if each step of an expansion took this long.
    private final class SteppingClock: HostClock {
        private let seconds = Mutex(0.0)
        var now: HostTime {
            seconds.withLock {
                $0 += 0.01
                return HostTime(seconds: $0)
            }
        }
    }

    @Test("the entries of a playlist file of this machine have its titles and durations")
    func details() async throws {
        try home.file("music/list.m3u", "#EXTM3U\n#EXTINF:61,First\nalbum/a.flac\n#EXTINF:-1,Radio\nhttp://radio.example/a\n#EXTINF:9,Gone\nb.flac\n")
        var locator = MediaLocator(confinement: try confinement(), files: FileQueue("test", limit: 4), allowsPrivateURLs: false)
        locator.clock = SteppingClock()
        let entries = try await locator.expand(
            home.path + "/music/list.m3u", pointer: "/url", isTrusted: false, keepsUnplayable: false, maximumCount: 10,
            deadline: HostTime(seconds: 60), for: "client")
        #expect(entries?.map(\.title) == ["First", "Radio", "Gone"] && entries?.map(\.listedDuration) == [61, nil, 9])
    }

    /// Expands the list `list.m3u` with a clock of which each reading takes 10 ms, and returns the number of entries.
    private func count(deadline: Double) async throws -> Int? {
        var locator = MediaLocator(confinement: try confinement(), files: FileQueue("test", limit: 4), allowsPrivateURLs: false)
        locator.clock = SteppingClock()
        return try await locator.expand(
            home.path + "/music/list.m3u", pointer: "/url", isTrusted: false, keepsUnplayable: false, maximumCount: 1000,
            deadline: HostTime(seconds: deadline), for: "client")?.count
    }

    @Test(
        "the deadline ends the reading of the lines, and the check of the media that they name",
        arguments: ["album/a.flac", "http://radio.example/a"])
    func deadline(_ line: String) async throws {
        try home.file("music/list.m3u", String(repeating: line + "\n", count: 100))
        // The lines need 1 s, and the check of their media another one.
        for deadline in [0.5, 1.5] {
            let problem = await problem { try await count(deadline: deadline) }
            #expect(problem?.detail == "The folder or playlist file could not be read within 10 seconds.", "\(deadline)")
            #expect(problem?.pointer == "/url" && problem.flatMap(MediaLocator.failure) == .timedOut)
        }
        #expect(try await count(deadline: 3) == 100)
    }

    // MARK: Folders that cannot be read

    /// Returns the names of the media in the folder `album`, if the system refuses to open one folder.
    private func names(refusing folder: String, with number: Int32) throws -> [String] {
        let refused = try path(folder)
        var library = MediaLibrary(confinement: try confinement())
        let open = library.open
        library.open = { $0.path == refused.file ? .failure(number) : open($0) }
        let expansion = MediaExpansion(library: library, clock: rig.time, deadline: HostTime(seconds: 8010), maximumCount: 100)
        return try MediaExpansion.media(of: path("music/album"), with: expansion)?.compactMap {
            if case .file(let path) = $0.medium { path.name } else { nil }
        } ?? []
    }

    @Test("a subfolder that cannot be read is skipped", arguments: [EACCES, EIO, ENOENT])
    func skipped(_ number: Int32) throws {
        #expect(try names(refusing: "music/album/locked", with: number) == ["c.flac", "a.flac"])
        #expect(try names(refusing: "music", with: number) == ["b.flac", "c.flac", "a.flac"])
    }

    @Test("a folder that cannot be read is refused with the reason of the system")
    func unreadable() async throws {
        let denied = await problem { try names(refusing: "music/album", with: EACCES) }
        #expect(denied?.code == .unplayableFile && denied?.detail == "The server has no permission to read the directory.")
        #expect(denied?.parameter == nil && denied.flatMap(MediaLocator.failure) == .permissionDenied)
        #expect(await problem { try names(refusing: "music/album", with: EIO) }?.detail == "The directory cannot be read.")
        #expect(await problem { try names(refusing: "music/album", with: ENOENT) }?.code == .fileNotFound)
        #expect(await put("music/none").problem == "file-not-found")
    }

    @Test("a folder over a limit that is kept has the limit as its reason")
    func limit() async throws {
        var deep = "music/deep"
        for _ in 0...MediaExpansion.maximumDepth {
            try home.directory(deep)
            deep += "/d"
        }
        let entry = await put("music/deep", ",\"keepUnplayable\":true").json?["entries"]?.elements.first
        #expect(entry?["error"]?["message"]?.text == "The folder or playlist file contains too many others, or too deep ones.")
        #expect(await put("music/deep").problem == "unplayable-file")
    }

    // MARK: Lines that cannot be used

    private static let large = "#EXTM3U\n" + String(repeating: "#", count: MediaExpansion.maximumListSize)

    @Test("a line with a colon is a path, and a line that cannot be used becomes an entry with its failure")
    func lines() async throws {
        try home.file("music/large.m3u", Self.large)
        let lines = [
            "Artist: Song.mp3", "C:\\none.mp3", "FTP://u:p@a.example/é", "../outside.flac", "file://other/a", "large.m3u", "http://a b/",
            "http://radio.example/a",
        ]
        try home.file("music/list.m3u", "#EXTINF:1,First\n" + lines.joined(separator: "\n"))
        let entries = await put("music/list.m3u").json?["entries"]?.elements ?? []
        let music = "file://\(home.path)/music/"
        #expect(
            entries.compactMap { $0["url"]?.text } == [
                music + "Artist:%20Song.mp3", music + "C:%5Cnone.mp3", "ftp://a.example/%C3%A9", "file://\(home.path)/outside.flac", "file://other/a",
                music + "large.m3u", "http://a%20b/", "http://radio.example/a",
            ])
        #expect(
            entries.map { $0["error"]?["code"]?.text } == [
                nil, "fileNotFound", "unsupportedScheme", "permissionDenied", "unknown", "notAFile", "unknown", nil,
            ])
        #expect(entries.first?["title"]?.text == "First")
        guard case .setQueue(let specs, _, _)? = rig.player.performed.last?.command, specs.count > 3 else { throw Unexpected() }
        // The entry of a forbidden file has no path that could be opened later.
        #expect(specs[3].source.location == .remote(url: "unusable:file://\(home.path)/outside.flac"))
    }
    struct Unexpected: Error {}

    @Test("entries that cannot be used are written back by id, with and without their URL, and not by URL alone")
    func writtenBack() async throws {
        try home.file("music/list.m3u", "ftp://a.example/a\n../outside.flac\nfile://other/a\nArtist: Song.mp3\n")
        var urls: [String] = []
        for hasURL in [true, false] {
            let entries = await put("music/list.m3u").json?["entries"]?.elements ?? []
            urls = entries.compactMap { $0["url"]?.text }
            let wanted = entries.map { "{\"id\":\"\($0["id"]?.text ?? "")\"" + (hasURL ? ",\"url\":\"\($0["url"]?.text ?? "")\"}" : "}") }
            let reply = await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[\(wanted.reversed().joined(separator: ","))]}")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json?["entries"]?.elements.compactMap { $0["url"]?.text } == urls.reversed() && urls.count == 4)
        }
        for (url, problem) in zip(urls, ["unsupported-scheme", "outside-media-roots", "invalid-value"]) {
            for id in ["", "\"id\":\"none\","] {
                #expect(await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[{\(id)\"url\":\"\(url)\"}]}").problem == problem)
            }
        }
    }

    @Test(
        "a list of which no line can be used is refused with its first line and the line's number",
        arguments: [
            ("#EXTM3U\r\n\r\nftp://a.example/a\r\nnone.flac", "unsupported-scheme", "Line 3 of “list.m3u”, ftp://a.example/a: "),
            ("\n../outside.flac", "outside-media-roots", "Line 2 of “list.m3u”, file://HOME/outside.flac: "),
            ("none.flac", "file-not-found", "Line 1 of “list.m3u”, file://HOME/music/none.flac: "),
            ("file://other/a", "unplayable-file", "Line 1 of “list.m3u”, file://other/a: "),
        ])
    func refused(_ text: String, _ problem: String, _ place: String) async throws {
        try home.file("music/list.m3u", text)
        let reply = await put("music/list.m3u")
        let detail = reply.json?["detail"]?.text ?? ""
        #expect(reply.problem == problem && reply.pointer == "/entries/0/url")
        #expect(detail.contains(place.replacing("HOME", with: home.path)), "\(detail)")
        #expect(rig.player.performed.isEmpty)
        let kept = await put("music/list.m3u", ",\"keepUnplayable\":true").json?["entries"]?.elements
        #expect(kept?.isEmpty == false && kept?.allSatisfy { $0["error"] != nil } == true)
    }
}
