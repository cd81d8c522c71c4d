import Platform
import PlaybackEngine
import Player
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
        #expect(await rig.send("GET", "/api/v1/library?path=file:///etc").problem == "outside-media-roots")
        for text in ["", "music", "../music", "file:music"] {
            let reply = await rig.send("GET", "/api/v1/library?path=" + text)
            #expect(reply.problem == "invalid-parameter", "\(text)")
            #expect(reply.json?["parameter"]?.text == "path")
        }
        #expect(await rig.send("GET", "/api/v1/library?path=%00").problem == "malformed-request")
        let name = String(repeating: "x", count: 256)
        #expect(await rig.send("GET", "/api/v1/library?path=/music/\(name)").problem == "text-too-long")
    }

    @Test("the pages of a listing follow each other by the cursor of the page before")
    func cursor() async throws {
        for name in ["2.flac", "10 %#é.flac", "1.flac"] { try home.file("music/" + name) }
        for name in ["b", "a.flac", "C+d"] { try home.directory("music/" + name) }
        var names: [String] = []
        var (after, offsets): (String, [Double]) = ("", [])
        for _ in 0..<6 {
            let reply = await rig.send("GET", "/api/v1/library?path=\(home.path)/music&limit=1" + after)
            names += reply.json?["entries"]?.elements.compactMap { $0["name"]?.text } ?? []
            offsets.append(reply.json?["offset"]?.double ?? -1)
            #expect(reply.json?["count"]?.double == 6)
            guard let next = reply.json?["next"]?.text else { break }
            after = "&after=" + PercentEncoding.encoded(next.utf8, keeping: PercentEncoding.isUnreserved)
        }
        #expect(names == ["a.flac", "b", "C+d", "1.flac", "2.flac", "10 %#é.flac"])
        #expect(offsets == [0, 1, 2, 3, 4, 5])
        let last = await rig.send("GET", "/api/v1/library?path=\(home.path)/music&after=b&offset=1&limit=1")
        #expect(last.json?["entries"]?[0]?["name"]?.text == "1.flac")
        #expect(last.json?["next"]?.text == "1.flac" && last.json?["isTruncated"]?.bool == false)
    }

    @Test("a malformed cursor is refused", arguments: ["", "/", "a%252Fb", "a/b", "a%2500", "a%25", "a%25zz", "caf%C3%A9", "a%20b"])
    func malformedCursor(_ text: String) async {
        let reply = await rig.send("GET", "/api/v1/library?path=\(home.path)/music&after=\(text)")
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "after")
    }

    @Test("a cursor has no effect on the list of the media roots")
    func cursorOfRoots() async {
        let (whole, reply) = (await rig.send("GET", "/api/v1/library"), await rig.send("GET", "/api/v1/library?after=a"))
        #expect(reply.status == 200 && reply.text == whole.text)
    }

    /// Names that are not UTF-8 (Latin-1, Shift-JIS, and random bytes), and one with control characters.
    private nonisolated static let names: [[UInt8]] = [
        Array("caf".utf8) + [0xE9], [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA], [0xFF, 0x01, 0x80, 0x25, 0xC3, 0x7E, 0x20], Array("a\tb\u{7F}".utf8),
    ]

    @Test("a folder whose name is not UTF-8, or has control characters, is listed and entered, and its files are played", arguments: names)
    func bytes(_ name: [UInt8]) async throws {
        let file = name + Array(".flac".utf8)
        try home.directory(Array("music/".utf8) + name)
        try home.file(Array("music/".utf8) + name + [0x2F] + file)
        let folder = await list("/music").json?["entries"]?[0]
        #expect(folder?["name"]?.text == String(decoding: name, as: UTF8.self))
        let path = folder?["path"]?.text ?? ""
        #expect(path == home.path(Array("music/".utf8) + name).url)
        for given in [PercentEncoding.encoded(path.utf8, keeping: PercentEncoding.isUnreserved), String(path.dropFirst("file://".count))] {
            let reply = await rig.send("GET", "/api/v1/library?path=" + given)
            #expect(reply.json?["path"]?.text == path && reply.json?["parent"]?.text == home.path + "/music")
            let url = reply.json?["entries"]?[0]?["url"]?.text ?? ""
            #expect(url == home.path(Array("music/".utf8) + name + [0x2F] + file).url)
            let put = await rig.send("PUT", "/api/v1/player/item", json: String(decoding: JSONWriter.object { $0.member("url", url) }, as: UTF8.self))
            #expect(put.status == 201)
            guard case .setItem(let entry, _, _)? = rig.player.performed.last?.command else {
                Issue.record("nothing was loaded")
                return
            }
            #expect(entry.source.location == .file(home.path(Array("music/".utf8) + name + [0x2F] + file)) && entry.url == url)
        }
    }

    @Test("a folder whose name is not UTF-8, or has control characters, is queued with its files", arguments: names)
    func expansion(_ name: [UInt8]) async throws {
        let file = Array("music/".utf8) + name + [0x2F] + name + Array(".flac".utf8)
        try home.directory(Array("music/".utf8) + name)
        try home.file(file)
        let entries = JSONWriter.object { writer in
            writer.member("entries", array: [home.path(Array("music/".utf8) + name).url]) { writer, url in writer.object { $0.member("url", url) } }
        }
        #expect(await rig.send("POST", "/api/v1/queue", json: String(decoding: entries, as: UTF8.self)).status < 300)
        #expect(rig.player.entries.map(\.url) == [home.path(file).url])
    }
}
