import Platform
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Folders and playlist files as what is queued.
@MainActor @Suite struct QueueFolderTests {
    private let home: TemporaryDirectory
    private let rig: TestRig

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        for name in ["music", "music/Album", "music/Album/CD 10", "music/Album/CD 2", "music/empty"] { try home.directory(name) }
        for name in ["CD 10/a.flac", "CD 2/2.mp3", "CD 2/10.mp3", "1.ogg", "cover.jpg", ".hidden.flac"] { try home.file("music/Album/" + name) }
        try home.file("outside.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    /// Replaces the queue by one URL under the home, and returns the answer.
    private func put(_ name: String, _ more: String = "") async -> Reply {
        await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[{\"url\":\"\(home.path)/\(name)\"\(more)}]}")
    }
    /// The names of the queue's entries, below the folder music.
    private var names: [String] {
        rig.player.entries.map { String($0.url.dropFirst("file://\(home.path)/music/".utf8.count)) }
    }

    @Test("a folder becomes its media: recursively, in the order of a listing, by path or URL")
    func folder() async throws {
        let expected = ["Album/CD%202/2.mp3", "Album/CD%202/10.mp3", "Album/CD%2010/a.flac", "Album/1.ogg"]
        #expect(await put("music/Album").status == 200)
        #expect(names == expected)
        let url = "{\"entries\":[{\"url\":\"file://\(home.path)/music/Album/CD%202\"},{\"url\":\"\(home.path)/music/Album/1.ogg\"}],\"startIndex\":1}"
        #expect(await rig.send("PUT", "/api/v1/queue", json: url).json?["currentId"]?.text == rig.player.entries.last?.id)
        #expect(names == ["Album/CD%202/2.mp3", "Album/CD%202/10.mp3", "Album/1.ogg"])
        #expect(
            await rig.send("POST", "/api/v1/queue", json: "{\"entries\":[{\"url\":\"\(home.path)/music\"}]}").json?["entries"]?.elements.count == 4)
    }

    @Test("a playlist file becomes its media, with titles; it may name folders, other lists, URLs and missing files")
    func list() async throws {
        try home.directory("music/lists")
        try home.file("music/lists/inner.pls", "[playlist]\nFile1=../Album/1.ogg\nTitle1=Inner\n")
        try home.file(
            "music/lists/outer.m3u",
            "#EXTM3U\n#EXTINF:1,First\n../Album/CD 2/2.mp3\n\(home.path)/music/Album/CD 10\n"
                + "inner.pls\nouter.m3u\nhttp://radio.example/a\nmissing.flac\n"
        )
        let reply = await put("music/lists/outer.m3u")
        #expect(reply.status == 200)
        let entries = reply.json?["entries"]?.elements ?? []
        #expect(entries.map { $0["title"]?.text } == ["First", nil, "Inner", nil, nil])
        #expect(
            entries.compactMap { $0["url"]?.text?.split(separator: "/").last }.map(String.init) == ["2.mp3", "a.flac", "1.ogg", "a", "missing.flac"])
        #expect(entries.last?["error"]?["code"]?.text == "fileNotFound")
    }

    @Test("a list that names a file outside the media roots is refused, and so is a folder without media, or with a title")
    func refused() async throws {
        try home.file("music/bad.m3u", "../outside.flac\n")
        try home.file("music/scheme.m3u", "ftp://example.com/a\n")
        for (name, more, status, code) in [
            ("music/bad.m3u", "", 403, "outside-media-roots"), ("music/scheme.m3u", "", 422, "unsupported-scheme"),
            ("music/empty", "", 422, "unplayable-file"), ("music/Album", ",\"title\":\"t\"", 400, "invalid-value"),
            ("", "", 403, "outside-media-roots"),
        ] {
            let reply = await put(name, more)
            #expect(reply.status == status && reply.problem == code && reply.pointer == "/entries/0/url", "\(name) \(reply.text)")
        }
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a link to a folder above is not followed around")
    func loop() async throws {
        try home.link("music/Album/CD 2/loop", to: home.path + "/music/Album")
        #expect(await put("music/Album").status == 200)
        #expect(names.count == 4)
    }

    @Test("the start position belongs to the first medium of a folder")
    func startTime() async throws {
        _ = await put("music/Album", ",\"startTime\":3")
        guard case .setQueue(let specs, _, _)? = rig.player.performed.last?.command else { throw Unexpected() }
        #expect(specs.map(\.startTime) == [3, nil, nil, nil])
    }
    struct Unexpected: Error {}

    // MARK: Limits

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

    @Test("a playlist file that names itself ends at the deadline, however many lines it has")
    func selfReference() throws {
        try home.file("music/self.m3u", String(repeating: "self.m3u\n", count: 2000) + "Album/1.ogg\n")
        let list = try AbsolutePath(home.path + "/music/self.m3u")
        func media(deadline: Double) throws -> Int? {
            let library = MediaLibrary(confinement: try PathConfinement(roots: [home.path + "/music"]))
            let expansion = MediaExpansion(
                library: library, clock: SteppingClock(), deadline: HostTime(seconds: deadline), maximumCount: 100)
            return try MediaExpansion.media(of: list, with: expansion)?.count
        }
        #expect(try media(deadline: 30) == 1)
        #expect(throws: Problem.self) { try media(deadline: 10) }
    }

    private func expansion(_ count: Int = 100, deadline: Double = 8010) throws -> MediaExpansion {
        MediaExpansion(
            library: MediaLibrary(confinement: try PathConfinement(roots: [home.path + "/music"])), clock: rig.time,
            deadline: HostTime(seconds: deadline), maximumCount: count)
    }

    @Test("the names of folders that a list names again and again are limited together, and so is what lists have")
    func namedAgain() throws {
        for index in 0..<5 { try home.file("music/empty/\(index).txt") }
        try home.file("music/again.m3u", "Album/1.ogg\n" + String(repeating: "empty\n", count: 9))
        let list = try AbsolutePath(home.path + "/music/again.m3u")
        var limited = try expansion()
        // Each folder has 7 names, with those of itself and its parent, and the list counts as one.
        limited.nameLimit = 57
        #expect(try MediaExpansion.media(of: list, with: limited)?.count == 1)
        limited.nameLimit = 56
        #expect(throws: Problem.self) { try MediaExpansion.media(of: list, with: limited) }
        try home.file("music/again.m3u", "Album/1.ogg\n" + String(repeating: "#", count: 6400) + "\nempty\n")
        limited.nameLimit = 99
        #expect(throws: Problem.self) { try MediaExpansion.media(of: list, with: limited) }
    }

    @Test("the media of a folder are limited in number, depth, size of lists and time")
    func limits() throws {
        let album = try AbsolutePath(home.path + "/music/Album")
        #expect(try MediaExpansion.media(of: album, with: expansion(4))?.count == 4)
        #expect(throws: Problem.self) { try MediaExpansion.media(of: album, with: expansion(3)) }
        #expect(throws: Problem.self) { try MediaExpansion.media(of: album, with: expansion(deadline: 8000)) }
        var short = try expansion()
        // Each of the four paths is longer than that of the folder.
        short.textLimit = 4 * album.size
        #expect(throws: Problem.self) { try MediaExpansion.media(of: album, with: short) }
        var deep = "music/deep"
        try home.directory(deep)
        for _ in 0..<MediaExpansion.maximumDepth {
            deep += "/d"
            try home.directory(deep)
        }
        try home.file(deep + "/a.flac")
        #expect(throws: Problem.self) { try MediaExpansion.media(of: AbsolutePath(home.path + "/music/deep"), with: expansion()) }
        #expect(try MediaExpansion.media(of: AbsolutePath(home.path + "/music/deep/d"), with: expansion())?.count == 1)
        let list = try AbsolutePath(home.path + "/music/long.m3u")
        try home.file("music/long.m3u", "a.flac\n" + String(repeating: "#", count: MediaExpansion.maximumListSize - 7))
        #expect(try MediaExpansion.media(of: list, with: expansion())?.count == 1)
        try home.file("music/long.m3u", "a.flac\n" + String(repeating: "#", count: MediaExpansion.maximumListSize - 6))
        #expect(throws: Problem.self) { try MediaExpansion.media(of: list, with: expansion()) }
    }
}
