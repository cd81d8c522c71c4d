import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of the entries in a request: some refer to an entry of the queue by its id, and some cannot be played.
@MainActor @Suite struct EntryReferenceTests {
    private let home: TemporaryDirectory
    private let rig: TestRig
    private let secret = "https://user:secret@example.com/radio"

    init() throws {
        let home = try TemporaryDirectory()
        try home.directory("music")
        for name in ["a.flac", "b.flac"] { try home.file("music/" + name) }
        self.home = home
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    private var specs: [EntrySpec] {
        switch rig.player.performed.last?.command {
        case .setQueue(let specs, _, _), .insert(let specs, _, _): specs
        default: []
        }
    }
    private func send(_ method: String, _ entries: String, _ more: String = "") async -> Reply {
        await rig.send(method, "/api/v1/queue", json: "{\"entries\":[\(entries)]\(more)}")
    }
    /// Fills the queue with a stream that needs a password, as entry e1, and a file, as entry e2.
    private func fill() async {
        _ = await send("PUT", #"{"url":"\#(secret)","title":"Radio"},{"url":"\#(home.path)/music/a.flac"}"#)
        let ids = rig.player.entries.map(\.id)
        for (id, spec) in zip(ids, specs) { rig.player.sources[id] = spec.source }
    }

    // MARK: References

    @Test("the password of an entry survives a read and write back, and no response shows it", arguments: ["PUT", "POST"])
    func credentials(_ method: String) async throws {
        await fill()
        let queue = await rig.send("GET", "/api/v1/queue")
        #expect(!queue.text.contains("secret"))
        // A client that edits the queue sends the entries as it has read them.
        let entries = try #require(queue.json?["entries"]?.elements).map { entry in
            #"{"id":"\#(entry["id"]?.text ?? "")","url":"\#(entry["url"]?.text ?? "")"}"#
        }
        let reply = await send(method, entries.reversed().joined(separator: ","))
        #expect(reply.status < 300 && !reply.text.contains("secret"))
        #expect(specs.map(\.source.location) == [.file(path: home.path + "/music/a.flac"), .remote(url: secret)])
        #expect(specs.map(\.id) == ["e2", "e1"])
        #expect(specs[1].url == "https://example.com/radio")
    }

    @Test("an id alone refers to an entry; if the queue has no such entry, the request is refused and nothing changes", arguments: ["PUT", "POST"])
    func idAlone(_ method: String) async throws {
        await fill()
        #expect(await send(method, #"{"id":"e1","title":"Mine"}"#).status < 300)
        #expect(specs.map(\.title) == ["Mine"] && specs[0].source.location == .remote(url: secret))
        let count = rig.player.performed.count
        let reply = await send(method, #"{"url":"\#(home.path)/music/a.flac"},{"id":"e99"}"#)
        #expect(reply.status == 404 && reply.problem == "entry-not-found" && reply.pointer == "/entries/1/id")
        #expect(rig.player.performed.count == count)
    }

    @Test("an id counts only with the URL of its entry: otherwise the entry is new, without the password of the other")
    func otherURL() async throws {
        await fill()
        for url in ["https://example.com/other", "https://user:other@example.com/radio", "https://example.com/radio?"] {
            #expect(await send("PUT", #"{"id":"e1","url":"\#(url)"}"#).status == 200)
            #expect(specs.map(\.id) == [nil] && specs[0].source.location == .remote(url: url))
            await fill()
        }
        #expect(await send("PUT", #"{"id":"e99","url":"https://example.com/radio"}"#).status == 200)
        #expect(specs[0].source.location == .remote(url: "https://example.com/radio"))
    }

    @Test("without an id the same URL without password is another medium")
    func noID() async throws {
        await fill()
        _ = await send("PUT", #"{"url":"https://example.com/radio"}"#)
        #expect(specs[0].source.location == .remote(url: "https://example.com/radio"))
    }

    @Test("the file of an entry that a request refers to is not checked again")
    func missingReference() async throws {
        _ = await send("PUT", #"{"url":"\#(home.path)/music/gone.flac"}"#, #","keepUnplayable":true"#)
        let id = try #require(rig.player.entries.first?.id)
        rig.player.sources[id] = specs[0].source
        #expect(await send("PUT", #"{"id":"\#(id)","url":"file://\#(home.path)/music/gone.flac"}"#).status == 200)
        #expect(specs.map(\.id) == [id])
        #expect(await send("PUT", #"{"id":"e99","url":"file://\#(home.path)/music/gone.flac"}"#).problem == "file-not-found")
    }

    @Test("an entry needs an id or a URL")
    func neither() async throws {
        let reply = await send("PUT", #"{"title":"T"}"#)
        #expect(reply.problem == "missing-member" && reply.pointer == "/entries/0/url")
    }

    // MARK: Entries that cannot be played

    private nonisolated static let unplayable = [
        ("gone.flac", "file-not-found"), ("folder", "unplayable-file"), ("pipe.flac", "unplayable-file"), ("notes.txt", "unplayable-file"),
        ("empty", "unplayable-file"),
    ]

    private func makeUnplayable() throws {
        try home.directory("music/folder")
        try home.pipe("music/pipe.flac")
        try home.file("music/notes.txt", "Side A: überall – 1 Stück\n")
        try home.file("music/empty", "")
    }

    @Test("a missing file, a folder, a pipe and a text are refused alike wherever they are given", arguments: unplayable)
    func refusedAlike(_ name: String, _ code: String) async throws {
        try makeUnplayable()
        let url = home.path + "/music/" + name
        let item = await rig.send("PUT", "/api/v1/player/item", json: "{\"url\":\"\(url)\"}")
        #expect(item.problem == code && item.pointer == "/url")
        for method in ["PUT", "POST"] {
            let reply = await send(method, "{\"url\":\"\(url)\"}")
            #expect(reply.status == item.status && reply.problem == code && reply.pointer == "/entries/0/url")
            // A folder is refused as an item, but in the queue its media are added in its place.
            #expect(reply.json?["detail"] == item.json?["detail"] || name == "folder")
        }
        #expect(rig.player.performed.isEmpty)
    }

    @Test("the problem names all entries that cannot be played, and nothing changes", arguments: ["PUT", "POST"])
    func allNamed(_ method: String) async throws {
        try makeUnplayable()
        let urls = ["a.flac", "gone.flac", "notes.txt", "b.flac", "folder"].map { "{\"url\":\"\(home.path)/music/\($0)\"}" }
        let reply = await send(method, urls.joined(separator: ","))
        #expect(reply.pointer == "/entries/1/url")
        let entries = reply.json?["entries"]?.elements ?? []
        #expect(entries.compactMap { $0["pointer"]?.text } == ["/entries/1/url", "/entries/2/url", "/entries/4/url"])
        #expect(entries.compactMap { $0["type"]?.text } == ["/problems/file-not-found", "/problems/unplayable-file", "/problems/unplayable-file"])
        #expect(rig.player.performed.isEmpty)
        // If one entry is forbidden, the problem names no other entry, because the request can never succeed.
        #expect(await send(method, (urls + [#"{"url":"/etc/passwd"}"#]).joined(separator: ",")).problem == "outside-media-roots")
    }

    @Test("the number of entries that a problem names is limited")
    func limited() async throws {
        let urls = Array(repeating: "{\"url\":\"\(home.path)/music/gone.flac\"}", count: Problem.maximumEntryCount + 1)
        let most = await send("PUT", urls.dropFirst().joined(separator: ","))
        #expect(most.json?["entries"]?.elements.count == Problem.maximumEntryCount)
        let more = await send("PUT", urls.joined(separator: ","))
        #expect(more.problem == "file-not-found" && more.pointer == "/entries/\(Problem.maximumEntryCount)/url" && more.json?["entries"] == nil)
    }

    @Test("a medium without a known name is no text, and a text with the name of a medium fails when it is opened")
    func names() async throws {
        try home.file("music/medium", "fLaC\u{1}")
        try home.file("music/text.mp3", "This is text.")
        for name in ["medium", "text.mp3"] { #expect(await send("PUT", "{\"url\":\"\(home.path)/music/\(name)\"}").status == 200, "\(name)") }
    }

    @Test("text is recognised by its first bytes, also if they end within a character")
    func text() {
        let long = Array(String(repeating: "ü", count: 300).utf8)
        #expect(TextFile.isText(long[1..<1] + long[..<511], isWhole: false))
        #expect(!TextFile.isText(long[..<511], isWhole: true))
        #expect(!TextFile.isText([0xFF, 0xFB, 0x90, 0x64], isWhole: false))
        #expect(!TextFile.isText(Array("OggS\u{0}".utf8)[...], isWhole: false))
        #expect(!TextFile.isText(Array("a\u{7F}".utf8)[...], isWhole: true))
        #expect(TextFile.isText([], isWhole: true))
    }
}
