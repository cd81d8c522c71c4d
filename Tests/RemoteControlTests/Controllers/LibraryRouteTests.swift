import Platform
import PlaybackEngine
import Playlist
import Testing

@testable import RemoteControl

@MainActor @Suite struct LibraryRouteTests {
    private let home: TemporaryDirectory
    private let rig: TestRig

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        try home.file("song.flac", "12345")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"], files: [home.path + "/song.flac"]) }
    }

    private func list(_ path: String) async -> Reply {
        await rig.send("GET", "/api/v1/library?path=" + PercentEncoding.encodedPath(home.path + path))
    }

    @Test("without a path, the roots and the permitted files are listed")
    func top() async throws {
        let reply = await rig.send("GET", "/api/v1/library")
        #expect(reply.status == 200)
        #expect(reply.json?["path"] == nil)
        let entries = reply.json?["entries"]?.elements ?? []
        #expect(entries.map { $0["name"]?.text } == ["music", "song.flac"])
        #expect(entries.map { $0["kind"]?.text } == ["directory", "audio"])
        #expect(entries.last?["size"]?.double == 5)
    }

    @Test("listing a file gives 404 with a detail that says so")
    func file() async throws {
        try home.file("music/one.flac")
        let reply = await list("/music/one.flac")
        #expect(reply.status == 404)
        #expect(reply.problem == "file-not-found")
        #expect(reply.json?["detail"]?.text == "The path names a file, not a directory.")
    }

    @Test("directories precede audio files, each in natural order; hidden and other files are omitted")
    func order() async throws {
        for name in ["10 x.flac", "2 x.MP3", "cover.jpg", "notes.txt", ".hidden.flac", "noextension", "film.mkv"] { try home.file("music/" + name) }
        for name in ["Zebra", "apple", ".git"] { try home.directory("music/" + name) }
        try home.pipe("music/pipe.flac")
        let reply = await list("/music")
        #expect(reply.json?["entries"]?.elements.map { $0["name"]?.text } == ["apple", "Zebra", "2 x.MP3", "10 x.flac", "film.mkv"])
        #expect(reply.json?["path"]?.text == home.path + "/music")
        #expect(reply.json?["parent"] == nil)
    }

    @Test("an entry's url loads it and a directory's path lists it, whatever characters its name has")
    func usable() async throws {
        try home.directory("music/100% #1?")
        try home.file("music/100% #1?/é & +.flac")
        let directory = await list("/music").json?["entries"]?[0]?["path"]?.text ?? ""
        let reply = await rig.send(
            "GET", "/api/v1/library?path=" + PercentEncoding.encodedPath(directory).split(separator: "&").joined(separator: "%26"))
        #expect(reply.json?["parent"]?.text == home.path + "/music")
        let url = reply.json?["entries"]?[0]?["url"]?.text ?? ""
        let put = await rig.send("PUT", "/api/v1/player/item", json: String(decoding: JSONWriter.object { $0.member("url", url) }, as: UTF8.self))
        #expect(put.status == 201)
        guard case .setItem(let entry, _, _)? = rig.player.performed.first?.command else {
            Issue.record("nothing was loaded")
            return
        }
        #expect(entry.source.location == .file(path: home.path + "/music/100% #1?/é & +.flac"))
        #expect(entry.url == url)
    }

    @Test("symlinks to targets outside the roots are omitted, others are listed")
    func symlinks() async throws {
        try home.directory("music/album")
        try home.file("music/album/a.flac")
        try home.link("music/in.flac", to: "album/a.flac")
        try home.link("music/out.flac", to: "/etc/hostname")
        try home.link("music/door", to: "/etc")
        try home.link("music/gone.flac", to: "nothing")
        #expect(await list("/music").json?["entries"]?.elements.map { $0["name"]?.text } == ["album", "in.flac"])
    }

    @Test("a path outside the roots is forbidden, and a path that is not a directory is not found")
    func refusals() async throws {
        for path in ["", "/music/../..", "/secret", "/music/%2e%2e"] {
            let reply = await list(path)
            #expect(reply.status == (path.contains("%") ? 404 : 403), "\(path)")
        }
        let reply = await rig.send("GET", "/api/v1/library?path=" + home.path + "/music/%2e%2e/%2e%2e/etc")
        #expect(reply.problem == "outside-media-roots")
        #expect(await rig.send("GET", "/api/v1/library?path=/etc").problem == "outside-media-roots")
        #expect(await rig.send("GET", "/api/v1/library?path=/no-such-thing").problem == "outside-media-roots")
        #expect(await list("/music/nothing").problem == "file-not-found")
        #expect(await list("/song.flac").problem == "file-not-found")
        for text in ["", "music", "../music", "file:etc", "http://host/music"] {
            let reply = await rig.send("GET", "/api/v1/library?path=" + text)
            #expect(reply.problem == "invalid-parameter", "\(text)")
            #expect(reply.json?["parameter"]?.text == "path")
        }
        #expect(await rig.send("GET", "/api/v1/library?path=file:///etc").problem == "outside-media-roots")
        #expect(await rig.send("GET", "/api/v1/library?path=file:///%25zz").problem == "invalid-value")
        #expect(await rig.send("GET", "/api/v1/library?path=%00").problem == "malformed-request")
        let name = String(repeating: "x", count: 256)
        #expect(await rig.send("GET", "/api/v1/library?path=/music/\(name)").problem == "text-too-long")
    }
}
