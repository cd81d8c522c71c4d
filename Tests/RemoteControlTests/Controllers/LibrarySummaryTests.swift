import Platform
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the titles, durations and pictures in listings of folders, and of the pages of a long listing.
@MainActor @Suite struct LibrarySummaryTests {
    private let home: TemporaryDirectory
    private let rig: TestRig

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        rig = try TestRig {
            $0.media = try PathConfinement(roots: [home.path + "/music"])
            $0.pictureScaler = FakeScaler()
        }
    }

    private func add(_ name: String, title: String? = nil, picture: [UInt8]? = nil, willOpen: Bool = true) throws {
        try home.file("music/" + name, name)
        guard willOpen else { return }
        let tags = title.map { [MetadataEntry(key: "title", value: $0)] } ?? []
        let medium = FakeOpener.Medium(frames: 2500, metadata: tags, artwork: picture.map { Artwork(mimeType: "image/png", data: $0) })
        rig.player.fakeOpener.setMedium(medium, at: home.path + "/music/" + name)
    }
    private func list(_ query: String = "") async -> JSONValue? {
        await rig.send("GET", "/api/v1/library?path=\(home.path)/music" + query).json
    }
    private func titles(_ json: JSONValue?) -> [String?] { json?["entries"]?.elements.map { $0["title"]?.text } ?? [] }
    private func cover(_ name: String, _ query: String = "", headers: [(String, String)] = []) async -> Reply {
        await rig.send("GET", "/api/v1/library/artwork?path=\(home.path)/music/\(name)" + query, headers: headers)
    }

    @Test("a listing is answered immediately with what is known, and media are read in the background")
    func progressive() async throws {
        try add("1.flac", title: "One", picture: [1])
        try add("2.flac", title: "Two", picture: [1])
        rig.waveformRunner.hold()
        let first = await list()
        #expect(first?["isComplete"]?.bool == false)
        #expect(titles(first) == [nil, nil])
        rig.waveformRunner.release()
        rig.time.run()
        let second = await list()
        #expect(second?["isComplete"]?.bool == true)
        #expect(titles(second) == ["One", "Two"])
        #expect(second?["entries"]?[0]?["duration"]?.double == 2.5)
        #expect(second?["entries"]?[0]?["pictureId"]?.text == second?["entries"]?[1]?["pictureId"]?.text)
        #expect(rig.player.fakeOpener.openings.count == 2)
        #expect(rig.player.fakeOpener.openings.allSatisfy { !$0.followsLinks })
        #expect(rig.time.timerCount == 0)
    }

    @Test("a request with `wait` is answered after all media of its page have been read, or after that time")
    func waiting() async throws {
        try add("1.flac", title: "One")
        rig.waveformRunner.hold()
        async let patient = list("&wait=60")
        async let short = list("&wait=1")
        await rig.until { rig.time.timerCount == 3 }
        rig.time.advance(by: 1)
        #expect(await short?["isComplete"]?.bool == false)
        rig.waveformRunner.release()
        rig.time.run()
        #expect(await titles(patient) == ["One"])
        #expect(rig.time.timerCount == 0)
    }

    @Test("a file that cannot be read, or not in time, is complete without a title")
    func unreadable() async throws {
        try add("1.flac", willOpen: false)
        async let json = list("&wait=60")
        await rig.until { rig.time.turnCount > 0 }
        rig.time.run()
        #expect(await json?["isComplete"]?.bool == true)
        #expect(await json?["entries"]?[0]?.names == ["name", "path", "kind", "url", "size"])
        _ = await list("&wait=60")
        #expect(rig.player.fakeOpener.openings.count == 1)
    }

    @Test("a changed file is read again")
    func changed() async throws {
        try add("1.flac", title: "One")
        _ = await list()
        rig.time.run()
        #expect(titles(await list()) == ["One"])
        try home.file("music/1.flac", "longer than before")
        #expect(titles(await list()) == [nil])
        rig.time.run()
        #expect(titles(await list()) == ["One"])
    }

    @Test("the files of the newest listing are read first, and not more than a number of files waits")
    func order() async throws {
        try home.directory("music/old")
        try home.directory("music/new")
        rig.waveformRunner.hold()
        for number in 0...MediaSummaryReader.maximumPending { try home.file("music/old/\(number).flac", "") }
        try home.file("music/new/x.flac", "new")
        for folder in ["old", "new"] { _ = await rig.send("GET", "/api/v1/library?path=\(home.path)/music/\(folder)") }
        rig.waveformRunner.release()
        rig.time.run()
        let names = rig.player.fakeOpener.openings.compactMap { source -> String? in
            guard case .file(let path) = source.location else { return nil }
            return String(path.text.split(separator: "/").last ?? "")
        }
        // The file 0.flac was already being read when the second listing was requested. The second listing's file x.flac is read next, and a file of
        // the first listing is not read, because only so many files may wait.
        #expect(Array(names.prefix(3)) == ["0.flac", "x.flac", "1.flac"])
        #expect(names.count == MediaSummaryReader.maximumPending + 1)
    }

    @Test("a listing has pages, in the order of the whole listing")
    func pages() async throws {
        for number in 1...12 { try add("\(number).flac", title: "T\(number)") }
        try home.directory("music/album")
        let page = await list("&offset=2&limit=3")
        #expect(page?["entries"]?.elements.map { $0["name"]?.text } == ["2.flac", "3.flac", "4.flac"])
        #expect(page?["count"]?.double == 13 && page?["offset"]?.double == 2)
        rig.time.run()
        #expect(rig.player.fakeOpener.openings.count == 3)
        let beyond = await list("&offset=100")
        #expect(beyond?["entries"]?.elements.isEmpty == true && beyond?["offset"]?.double == 13)
        #expect(beyond?["isComplete"]?.bool == true)
        for query in ["&offset=-1", "&limit=0", "&limit=10001", "&limit=x", "&wait=61"] {
            #expect(await list(query)?["type"]?.text == "/problems/invalid-parameter")
        }
    }

    @Test("playlist files are listed as such, and are not read")
    func playlists() async throws {
        for name in ["a.m3u", "b.M3U8", "c.pls"] { try home.file("music/" + name) }
        let json = await list()
        #expect(json?["entries"]?.elements.map { $0["kind"]?.text } == ["playlist", "playlist", "playlist"])
        #expect(json?["isComplete"]?.bool == true)
        rig.time.run()
        #expect(rig.player.fakeOpener.openings.isEmpty)
    }

    @Test("closing the API answers the requests that wait")
    func closed() async throws {
        try add("1.flac", title: "One")
        rig.waveformRunner.hold()
        async let json = list("&wait=60")
        await rig.until { rig.time.timerCount == 2 }
        rig.api.close()
        #expect(await json?["isComplete"]?.bool == false)
        rig.waveformRunner.release()
        rig.time.run()
    }

    @Test("the artwork of a file has a tag, with which a file that a listing has read is not opened again")
    func artwork() async throws {
        try add("1.flac", picture: [1, 2, 3])
        let reply = await cover("1.flac")
        #expect(reply.status == 200 && reply.body == [1, 2, 3])
        #expect(reply.header("Content-Type") == "image/png")
        _ = await list()
        rig.time.run()
        let count = rig.player.fakeOpener.openings.count
        let tag = reply.header("ETag") ?? ""
        #expect(tag.contains(await list()?["entries"]?[0]?["pictureId"]?.text ?? "none"))
        #expect(await cover("1.flac", headers: [("If-None-Match", tag)]).status == 304)
        #expect(rig.player.fakeOpener.openings.count == count)
        #expect(await cover("1.flac", "&size=16", headers: [("If-None-Match", tag)]).status == 200)
    }

    @Test("the artwork of a file whose name has control characters is found by its path in the listing")
    func artworkOfControlCharacters() async throws {
        try add("a\tb\u{7F}.flac", picture: [1, 2, 3])
        let path = await list()?["entries"]?[0]?["path"]?.text ?? ""
        let query = "?path=" + PercentEncoding.encoded(path.utf8, keeping: PercentEncoding.isUnreserved)
        #expect(await rig.send("GET", "/api/v1/library/artwork" + query).body == [1, 2, 3])
    }

    @Test("a file whose name has a line break has its artwork")
    func artworkOfLineBreak() async throws {
        try add("line\nbreak.flac", picture: [4])
        #expect(await cover("line%0Abreak.flac").body == [4])
    }

    @Test("a scaled picture that is cached needs no opening, whichever file of the album has it")
    func scaled() async throws {
        let picture = [UInt8](repeating: 7, count: 100)
        for name in ["1.flac", "2.flac"] { try add(name, picture: picture) }
        _ = await list()
        rig.time.run()
        let first = await cover("1.flac", "&size=16")
        let count = rig.player.fakeOpener.openings.count
        let second = await cover("2.flac", "&size=16")
        #expect(first.status == 200 && first.body == second.body && first.body != picture)
        #expect(rig.player.fakeOpener.openings.count == count)
    }

    @Test("the artwork of a file that may not be played, of none, and of a broken one are problems")
    func artworkProblems() async throws {
        try add("plain.flac")
        try add("broken.flac", willOpen: false)
        #expect(await cover("plain.flac").problem == "artwork-not-found")
        #expect(await cover("broken.flac").problem == "item-failed")
        #expect(await cover("none.flac").problem == "file-not-found")
        #expect(await cover("").problem == "unplayable-file")
        for (query, problem) in [("?path=/etc/passwd", "outside-media-roots"), ("", "invalid-parameter"), ("?path=x", "invalid-parameter")] {
            let reply = await rig.send("GET", "/api/v1/library/artwork" + query)
            #expect(reply.problem == problem)
            #expect(reply.json?["parameter"]?.text == "path")
        }
        #expect(await cover("plain.flac", "&size=15").problem == "invalid-parameter")
    }
}
