import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

@MainActor @Suite struct QueueRouteTests {
    private let home: TemporaryDirectory
    private let rig: TestRig
    private var performed: [PlayerCommand] { rig.player.performed.map(\.command) }

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        for name in ["a", "b"] { try home.file("music/\(name).flac") }
        try home.file("outside.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    private func path(_ name: String) -> String { home.path + "/music/" + name }
    private func item(_ name: String) -> String { "{\"url\":\"\(path(name))\"}" }
    private func put(_ names: [String], headers: [(String, String)] = []) async -> Reply {
        await rig.send("PUT", "/api/v1/queue", headers: headers, json: "{\"entries\":[\(names.map(item).joined(separator: ","))]}")
    }

    @Test("an empty queue has no entries, no current entry and no next entry")
    func empty() async throws {
        let reply = await rig.send("GET", "/api/v1/queue")
        #expect(reply.status == 200)
        #expect(reply.text == #"{"epoch":"e0","revision":0,"count":0,"offset":0,"entries":[],"history":[]}"#)
        #expect(reply.header("Cache-Control") == "no-cache")
    }

    @Test("PUT replaces the queue and answers with stable ids, the current entry and the next one")
    func replace() async throws {
        let reply = await rig.send(
            "PUT", "/api/v1/queue", headers: [("Tonearm-Client", "kitchen")],
            json: "{\"entries\":[\(item("a.flac")),{\"url\":\"https://example.com/b\",\"title\":\"B\"}],\"play\":true}")
        #expect(reply.status == 200)
        #expect(reply.json?["count"]?.double == 2)
        #expect(reply.json?["currentId"]?.text == "e1")
        #expect(reply.json?["nextId"]?.text == "e2")
        #expect(reply.json?["entries"]?[0]?["url"]?.text == "file://" + path("a.flac"))
        #expect(reply.json?["entries"]?[1]?["title"]?.text == "B")
        #expect(rig.player.performed.last?.origin == "kitchen")
        guard case .setQueue(let specs, start: nil, play: true)? = performed.last else { throw Unexpected() }
        #expect(specs.map(\.source.location) == [.file(path: path("a.flac")), .remote(url: "https://example.com/b")])
        #expect(await rig.send("GET", "/api/v1/queue").json?["entries"]?.elements.compactMap { $0["id"]?.text } == ["e1", "e2"])
    }
    struct Unexpected: Error {}

    @Test("with keepUnplayable an entry whose file is missing or not a file is added with an error, and does not affect other entries")
    func keepUnplayable() async throws {
        try home.directory("music/folder.flac")
        let names = ["gone.flac", "a.flac", "folder.flac"]
        let reply = await rig.send(
            "PUT", "/api/v1/queue", json: "{\"entries\":[\(names.map(item).joined(separator: ","))],\"keepUnplayable\":true}")
        #expect(reply.status == 200)
        let entries = reply.json?["entries"]?.elements ?? []
        #expect(entries.map { $0["status"]?.text } == ["failed", "unknown", "failed"])
        #expect(entries.map { $0["error"]?["code"]?.text } == ["fileNotFound", nil, "notAFile"])
        guard case .setQueue(let specs, _, _)? = performed.last else { throw Unexpected() }
        #expect(specs.map(\.source.location) == names.map { .file(path: path($0)) })
        #expect(specs.allSatisfy { !$0.source.followsLinks })
    }

    @Test("the path of a missing file under a symlinked root is resolved through the symlink")
    func missingBehindLink() async throws {
        try home.link("linked", to: "music")
        let rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/linked"]) }
        let reply = await rig.send(
            "PUT", "/api/v1/queue", json: "{\"entries\":[{\"url\":\"\(home.path)/linked/new/gone.flac\"}],\"keepUnplayable\":true}")
        #expect(reply.json?["entries"]?[0]?["url"]?.text == "file://" + home.path + "/linked/new/gone.flac")
        guard case .setQueue(let specs, _, _)? = rig.player.performed.last?.command else { throw Unexpected() }
        #expect(specs.map(\.source.location) == [.file(path: home.path + "/music/new/gone.flac")])
    }

    @Test(
        "one entry that may not be played causes the whole request to be refused with its pointer, and nothing changes",
        arguments: [
            ("/etc/passwd", 403, "outside-media-roots"), ("OUTSIDE", 403, "outside-media-roots"), ("ftp://example.com/a", 422, "unsupported-scheme"),
            ("a.flac", 400, "invalid-value"), ("", 400, "invalid-value"), ("http:///", 400, "invalid-value"),
        ])
    func refused(_ url: String, _ status: Int, _ code: String) async throws {
        let bad = url == "OUTSIDE" ? home.path + "/outside.flac" : url
        for method in ["PUT", "POST"] {
            let reply = await rig.send(method, "/api/v1/queue", json: "{\"entries\":[\(item("a.flac")),{\"url\":\"\(bad)\"}]}")
            #expect(reply.status == status)
            #expect(reply.problem == code)
            #expect(reply.pointer == "/entries/1/url")
        }
        #expect(performed.isEmpty)
    }

    @Test(
        "invalid members are refused with their pointers",
        arguments: [
            ("{}", "missing-member", "/entries"), (#"{"entries":{}}"#, "wrong-type", "/entries"), (#"{"entries":[1]}"#, "wrong-type", "/entries/0"),
            (#"{"entries":[{}]}"#, "missing-member", "/entries/0/url"), (#"{"entries":[{"url":"/a","x":1}]}"#, "unknown-member", "/entries/0/x"),
            (#"{"entries":[{"url":1}]}"#, "wrong-type", "/entries/0/url"), (#"{"entries":[],"play":1}"#, "wrong-type", "/play"),
            (#"{"entries":[],"number":1}"#, "unknown-member", "/number"),
        ])
    func wrong(_ json: String, _ code: String, _ pointer: String) async throws {
        for method in ["PUT", "POST"] {
            let reply = await rig.send(method, "/api/v1/queue", json: json)
            #expect(reply.status == 400)
            #expect(reply.problem == code)
            #expect(reply.pointer == pointer)
        }
        #expect(performed.isEmpty)
    }

    @Test("too many entries are refused before any file is opened, and too large a body gives 413")
    func tooMany() async throws {
        let items = Array(repeating: "{\"url\":\"/etc/x\"}", count: QueueController.maximumRequestCount + 1).joined(separator: ",")
        for method in ["PUT", "POST"] {
            let reply = await rig.send(method, "/api/v1/queue", json: "{\"entries\":[\(items)]}")
            #expect(reply.status == 422)
            #expect(reply.problem == "too-many-entries")
            #expect(reply.pointer == "/entries")
            let large = await rig.send(method, "/api/v1/queue", json: "{\"entries\":[\(String(repeating: " ", count: 1 << 20))]}")
            #expect(large.status == 413)
        }
        rig.player.refusal = .tooManyEntries(maximum: 10_000)
        #expect(await rig.send("POST", "/api/v1/queue", json: "{\"entries\":[\(item("a.flac"))]}").problem == "too-many-entries")
    }

    @Test("a queue with too much text is refused")
    func tooMuchText() async throws {
        rig.player.refusal = .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        let reply = await rig.send("POST", "/api/v1/queue", json: "{\"entries\":[\(item("a.flac"))]}")
        #expect(reply.status == 422)
        #expect(reply.problem == "queue-too-large")
        #expect(reply.pointer == "/entries")
    }

    @Test("POST adds entries at the end or after a given entry, and answers with the new entries alone")
    func add() async throws {
        _ = await put(["a.flac", "b.flac"])
        let end = await rig.send("POST", "/api/v1/queue", json: "{\"entries\":[\(item("a.flac"))],\"play\":true}")
        #expect(end.status == 201)
        #expect(end.json?["count"]?.double == 3)
        #expect(end.json?["revision"]?.double == 2)
        #expect(end.json?["entries"]?.elements.compactMap { $0["id"]?.text } == ["e3"])
        let behind = await rig.send("POST", "/api/v1/queue", json: "{\"entries\":[\(item("b.flac"))],\"after\":\"e1\"}")
        #expect(behind.status == 201)
        #expect(await rig.send("GET", "/api/v1/queue").json?["entries"]?.elements.compactMap { $0["id"]?.text } == ["e1", "e4", "e2", "e3"])
        guard case .insert(_, at: .after("e1"), play: false)? = performed.last else { throw Unexpected() }
    }

    @Test("edits and steps reach the player with the id of their entry")
    func commands() async throws {
        _ = await put(["a.flac", "b.flac"])
        #expect(await rig.send("POST", "/api/v1/queue/next").json?["queue"]?["index"]?.double == 1)
        #expect(await rig.send("POST", "/api/v1/queue/previous", json: "{}").json?["queue"]?["index"]?.double == 0)
        #expect(await rig.send("POST", "/api/v1/queue/e2/play").json?["currentItem"]?["id"]?.text == "e2")
        #expect(await rig.send("POST", "/api/v1/queue/e2/move", json: #"{"index":0}"#).status == 204)
        #expect(await rig.send("DELETE", "/api/v1/queue/e%31").status == 204)
        #expect(await rig.send("DELETE", "/api/v1/queue").status == 204)
        #expect(performed.dropFirst() == [.next, .previous, .playEntry("e2"), .moveEntry("e2", to: 0), .removeEntry("e1"), .clear])
        #expect(await rig.send("POST", "/api/v1/queue/e2/move", json: #"{"index":-1}"#).problem == "out-of-range")
        #expect(await rig.send("POST", "/api/v1/queue/e2/move", json: "{}").problem == "missing-member")
        #expect(await rig.send("POST", "/api/v1/queue/next", json: #"{"rate":1}"#).problem == "unknown-member")
    }

    @Test(
        "each refusal of the player has its own problem",
        arguments: [
            (.shutDown, 503, "server-busy"), (.noEntry, 404, "entry-not-found"), (.noNextEntry, 409, "no-next-entry"),
            (.noPreviousEntry, 409, "no-previous-entry"),
        ] as [(PlayerRefusal, Int, String)])
    func refusals(_ refusal: PlayerRefusal, _ status: Int, _ code: String) async throws {
        rig.player.refusal = refusal
        let requests: [(String, String, String?)] =
            switch refusal {
            case .noNextEntry: [("POST", "next", nil)]
            case .noPreviousEntry: [("POST", "previous", nil)]
            default: [("DELETE", "e9", nil), ("POST", "e9/move", #"{"index":0}"#), ("POST", "e9/play", nil)]
            }
        for (method, path, json) in requests {
            let reply = await rig.send(method, "/api/v1/queue/" + path, json: json)
            #expect(reply.status == status)
            #expect(reply.problem == code)
        }
        guard refusal == .noEntry else { return }
        let added = await rig.send("POST", "/api/v1/queue", json: "{\"entries\":[\(item("a.flac"))],\"after\":\"e9\"}")
        #expect(added.status == 404)
        #expect(added.pointer == "/after")
    }

    @Test(
        "the detail says why there is no entry in that direction",
        arguments: [("next", PlayerRefusal.noNextEntry), ("previous", .noPreviousEntry)])
    func nowhereToGo(_ path: String, _ refusal: PlayerRefusal) async throws {
        func detail() async -> String? { await rig.send("POST", "/api/v1/queue/" + path).json?["detail"]?.text }
        rig.player.refusal = refusal
        #expect(await detail() == "The queue is empty.")
        rig.player.refusal = nil
        _ = await put(["a.flac"])
        rig.player.refusal = refusal
        // The problem does not state that the current entry is the last one, because entries that cannot be played may follow it.
        #expect(await detail() == (path == "next" ? "No playable entry follows the current one." : "No entry precedes the current one."))
    }

    // MARK: Revisions

    @Test("every edit is performed if If-Match has the queue's revision, and gives 412 and changes nothing if it is older")
    func match() async throws {
        let first = try #require(await put(["a.flac", "b.flac"]).header("ETag"))
        let count = performed.count
        for (method, path, json) in Self.edits(item("a.flac")) {
            for stale in ["\"queue:e0:0\"", "\"queue:e9:1\"", "W/" + first, "\"queue:e0:11\"", "\"queue:e0:1x\"", "\"e0:1\""] {
                let reply = await rig.send(method, "/api/v1/queue" + path, headers: [("If-Match", stale)], json: json)
                #expect(reply.status == 412, "\(method) \(path) \(stale)")
                #expect(reply.problem == "precondition-failed")
            }
        }
        #expect(performed.count == count)
        for (method, path, json) in Self.edits(item("a.flac")) {
            let revision = rig.player.state.queue.revision
            let reply = await rig.send(method, "/api/v1/queue" + path, headers: [("If-Match", "\"queue:e0:\(revision)\"")], json: json)
            #expect((200..<300).contains(reply.status), "\(method) \(path)")
        }
    }

    private static func edits(_ item: String) -> [(String, String, String?)] {
        [
            ("POST", "/next", nil), ("POST", "/previous", nil), ("POST", "/e2/play", nil), ("POST", "/e2/move", #"{"index":0}"#),
            ("POST", "/move", #"{"ids":["e2"],"index":0}"#), ("POST", "/undo", nil), ("POST", "/redo", nil), ("POST", "/clear-upcoming", nil),
            ("POST", "/remove", #"{"ids":["e1"]}"#), ("POST", "", "{\"entries\":[\(item)]}"), ("DELETE", "/e2", nil),
            ("PUT", "", "{\"entries\":[\(item)]}"), ("DELETE", "", nil),
        ]
    }

    @Test("a change of content without a new revision gives another tag for If-None-Match, but no conflict for If-Match")
    func tags() async throws {
        let first = try #require(await put(["a.flac", "b.flac"]).header("ETag"))
        #expect(await rig.send("GET", "/api/v1/queue", headers: [("If-None-Match", first)]).status == 304)
        _ = await rig.send("POST", "/api/v1/queue/next")
        let second = await rig.send("GET", "/api/v1/queue", headers: [("If-None-Match", first)])
        #expect(second.status == 200)
        #expect(second.header("ETag") != first)
        #expect(await put(["a.flac"], headers: [("If-Match", first)]).status == 200)
        #expect(await put(["a.flac"], headers: [("If-Match", "*")]).status == 200)
    }

    @Test("the queue event has the revision, the current entry and the next one")
    func event() async throws {
        let client = try await rig.events()
        _ = client.read()
        _ = await put(["a.flac", "b.flac"])
        let events = client.read().filter { $0.name == "queue" }
        #expect(events.map(\.data.serialized) == [#"{"revision":1,"count":2,"currentId":"e1","nextId":"e2","previousRevision":0,"hostTime":8000}"#])
        #expect(events.allSatisfy { $0.id != nil })
    }
}
