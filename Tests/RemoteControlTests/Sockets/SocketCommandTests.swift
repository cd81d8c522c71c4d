import PlaybackEngine
import PlaybackTesting
import Player
import Synchronization
import Testing
@testable import RemoteControl

/// Tests of commands over the WebSocket. Every operation of the API is a command, and the routes of HTTP carry it out.
@MainActor @Suite struct SocketCommandTests {
    let rig: TestRig
    init() throws { rig = try TestRig() }

    /// Makes a rig that may play the file `a.flac` of the folder `home`. The folder and the file are deleted when `home` is released.
    static func rigWithFile() throws -> (home: TemporaryDirectory, rig: TestRig) {
        let home = try TemporaryDirectory()
        try home.file("a.flac")
        return (home, try TestRig { $0.media = try PathConfinement(roots: [home.path]) })
    }

    /// The operations that are not commands: the two that never end, and those that set or delete the cookie.
    static let others: Set = ["getEvents", "getSocket", "logIn", "logOut"]

    @Test("every operation of the contract is a command, except endless ones and the token exchange")
    func names() {
        let expected = Set(Contract.shared.operations.map(\.id)).subtracting(Self.others)
        let table = SocketCommandTable(
            rig.api.routes, without: Self.others, idempotency: IdempotencyKeys(clock: rig.time), metrics: RequestMetrics(), unread: rig.api.unread)
        #expect(table.names == expected)
    }

    @Test("each command is answered with the result of its HTTP operation")
    func everyOperation() async throws {
        let home = try TemporaryDirectory()
        try home.directory("music")
        try home.file("music/sample.flac")
        let rig = try TestRig {
            $0.media = try PathConfinement(roots: [home.path + "/music"])
            $0.outputs = FakeDirectory()
            $0.web = StaticFiles(["/index.html": StaticFiles.File(contentType: "text/html", bytes: Array("<p>é</p>".utf8))])
        }
        rig.player.facts["e1"] = MediaFacts(metadata: [MetadataEntry(key: "lyrics", value: "One")])
        rig.player.fakeOpener.setMedium(FakeOpener.Medium(frames: 100), at: "/e1")
        let artwork = Artwork(mimeType: "image/png", data: [1])
        rig.player.fakeOpener.setMedium(FakeOpener.Medium(frames: 100, artwork: artwork), at: home.path + "/music/sample.flac")
        rig.player.artworks.withLock { $0["e1"] = Artwork(mimeType: "image/png", data: [0x89, 0xFF, 1]) }
        let socket = try await TestSocket(rig)
        var arguments = [
            "putItem": #"{"url":"file://\#(home.path)/music/sample.flac","title":"Eé","wait":0}"#, "updatePlayer": #"{"volume":0.25}"#,
            "seek": #"{"time":12.5}"#, "skip": #"{"seconds":30}"#, "changeVolume": #"{"by":0}"#, "setLoop": #"{"start":1,"end":2}"#,
            "getArtwork": #"{"id":"e1"}"#, "removeEntry": #"{"id":"e1"}"#, "playEntry": #"{"id":"e1"}"#,
            "moveEntry": #"{"id":"e1","index":0}"#, "listLibrary": #"{"path":"\#(home.path)/music"}"#,
            "getItemDetails": #"{"id":"e1"}"#, "getChapters": #"{"id":"e1"}"#, "getWaveform": #"{"id":"e1","points":4}"#,
            "getLyrics": #"{"id":"e1"}"#, "getLibraryArtwork": #"{"path":"\#(home.path)/music/sample.flac"}"#,
            "getAsset": #"{"url":"\#(home.path)/music/sample.flac","keys":"duration"}"#, "setOutput": #"{"id":"null"}"#,
            "updateOutput": #"{"output":"pulse:alsa_output.usb-dac","volume":1}"#,
            "setSleepTimer": #"{"seconds":60}"#,
        ]
        arguments["putQueue"] = #"{"entries":[{"url":"file://\#(home.path)/music/sample.flac"}],"play":true}"#
        arguments["addToQueue"] = arguments["putQueue"]
        arguments["removeEntries"] = #"{"ids":["e1"]}"#
        arguments["moveEntries"] = #"{"ids":["e1"],"position":"next"}"#
        // Operations that need an item follow the one that loads it.
        let order = ["putItem", "getItem", "getArtwork", "getItemDetails", "getChapters", "getWaveform", "getLyrics"]
        let names = Contract.shared.operations.map(\.id).filter { !Self.others.contains($0) && !order.contains($0) }
        for name in order + names {
            let answer = await socket.ask(name, arguments[name])
            #expect(answer["result"] != nil, "\(name): \(answer.serialized)")
            let operation = try #require(Contract.shared.operations.first { $0.id == name })
            for status in operation.value["responses"]?.names ?? [] where status.hasPrefix("20") {
                let response = Contract.shared.resolved(operation.value["responses"]?[status])
                guard let schema = response?["content"]?["application/json"]?["schema"] else { continue }
                #expect(Contract.shared.errors(answer["result"] ?? .null, schema, at: name) == [])
            }
        }
        #expect(rig.player.state.volume == 0.25)
        let picture = await socket.ask("getArtwork", #"{"id":"e1"}"#)
        #expect(picture["result"]?["contentType"]?.text == "image/png")
        #expect(picture["result"]?["data"]?.text == "if8B")
        let page = await socket.ask("getWebRemote")
        #expect(page["result"]?["text"]?.text == "<p>é</p>")
    }

    @Test("a command performs the same player command as its HTTP request, with the same origin")
    func sameCommand() async throws {
        let socket = try await TestSocket(rig, headers: [("Tonearm-Client", "kitchen")])
        let answer = await socket.ask("play", #"{"rate":1.5}"#)
        _ = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Client", "kitchen")], json: #"{"rate":1.5}"#)
        #expect(rig.player.performed.count == 2)
        #expect(rig.player.performed[0] == rig.player.performed[1])
        #expect(rig.player.performed[0] == .init(command: .play(rate: 1.5), origin: "kitchen"))
        #expect(answer["result"] == (try JSONParser.parse(rig.broadcast.snapshot.json)))
    }

    @Test(
        "a problem has a pointer to the faulty argument",
        arguments: [
            ("updatePlayer", #"{"volume":2}"#, "out-of-range", "/arguments/volume"),
            ("updatePlayer", #"{"volum":1}"#, "unknown-member", "/arguments/volum"),
            ("pause", #"{"now":true}"#, "unknown-member", "/arguments/now"), ("getPlayer", #"{"x":1}"#, "unknown-member", "/arguments/x"),
            ("moveEntry", #"{"index":0}"#, "missing-member", "/arguments/id"), ("moveEntry", #"{"id":[],"index":0}"#, "wrong-type", "/arguments/id"),
            ("removeEntry", #"{"id":""}"#, "invalid-value", "/arguments/id"), ("removeEntry", #"{"id":"\u0000"}"#, "invalid-value", "/arguments/id"),
            ("seek", nil, "missing-member", "/arguments/time"), ("putItem", "{}", "missing-member", "/arguments/url"),
        ] as [(String, String?, String, String)])
    func problems(command: String, arguments: String?, code: String, pointer: String) async throws {
        let socket = try await TestSocket(rig)
        let answer = await socket.ask(command, arguments)
        #expect(answer["problem"]?["type"]?.text == "/problems/" + code)
        #expect(answer["problem"]?["pointer"]?.text == pointer)
        #expect(answer["result"] == nil)
        #expect(rig.player.performed.isEmpty)
    }

    // MARK: Fields

    @Test("the answer has the entity tag of the response, and ifMatch guards a command like If-Match")
    func tags() async throws {
        let socket = try await TestSocket(rig)
        let read = await socket.ask("getQueue")
        let tag = try #require(read["entityTag"]?.text)
        #expect(await rig.send("GET", "/api/v1/queue").header("ETag") == tag)
        func clear(_ tag: String) async -> JSONValue { await socket.ask("clearQueue", fields: ["ifMatch": tag]) }
        let stale = await clear("\"queue:e0:9\"")
        #expect(stale["problem"]?["type"]?.text == "/problems/precondition-failed")
        #expect(stale["problem"]?["entityTag"]?.text == stale["entityTag"]?.text && stale["entityTag"] != nil)
        #expect(await clear("\"player:e0:1\"")["problem"]?["type"]?.text == "/problems/precondition-failed")
        #expect(rig.player.performed.isEmpty)
        let done = await clear(tag)
        #expect(done["result"] != nil)
        #expect(done["entityTag"]?.text == (await rig.send("GET", "/api/v1/queue").header("ETag")))
    }

    @Test("a command with a key is carried out once, also if it is repeated over HTTP, or over another WebSocket")
    func keys() async throws {
        let (home, rig) = try Self.rigWithFile()
        let entries = #"{"entries":[{"url":"\#(home.path)/a.flac"}]}"#
        let socket = try await TestSocket(rig)
        let fields = ["idempotencyKey": "k", "client": "kitchen"]
        let first = await socket.ask("addToQueue", entries, fields: fields)
        #expect(first["isReplayed"] == nil)
        let second = await socket.ask("addToQueue", entries, fields: fields)
        #expect(second["isReplayed"]?.bool == true && second["result"] == first["result"] && second["entityTag"] == first["entityTag"])
        let other = try await TestSocket(rig, headers: [("Tonearm-Client", "kitchen")])
        #expect(await other.ask("addToQueue", entries, fields: ["idempotencyKey": "k"])["isReplayed"]?.bool == true)
        let http = await rig.send(
            "POST", "/api/v1/queue", headers: [("Idempotency-Key", "k"), ("Tonearm-Client", "kitchen")], json: entries)
        #expect(http.header("Idempotency-Replayed") == "true" && http.json == first["result"])
        #expect(rig.player.performed.count == 1)
        // The same request is sent twice: by WebSocket without a body, and by HTTP with the body `{}`. The two count as equal, so it is carried out
        // once.
        _ = await socket.ask("playEntry", #"{"id":"e1"}"#, fields: ["idempotencyKey": "p", "client": "kitchen"])
        let play = await rig.send(
            "POST", "/api/v1/queue/e1/play", headers: [("Idempotency-Key", "p"), ("Tonearm-Client", "kitchen")], json: "{}")
        #expect(play.header("Idempotency-Replayed") == "true")
        #expect(
            await socket.ask("playEntry", #"{"id":"e2"}"#, fields: ["idempotencyKey": "p", "client": "kitchen"])["problem"]?["status"]?.double == 422)
    }

    @Test("the client of a command is the origin of its change, and replaces the name of the handshake")
    func client() async throws {
        let socket = try await TestSocket(rig, headers: [("Tonearm-Client", "kitchen")])
        _ = await socket.ask("pause", fields: ["client": "Küche 2"])
        _ = await socket.ask("pause")
        #expect(rig.player.performed.map(\.origin) == ["Küche 2", "kitchen"])
    }

    @Test("a command that omits its result is answered with its entity tag alone; a problem is told nevertheless")
    func omittedResult() async throws {
        let socket = try await TestSocket(rig)
        socket.send(text: #"{"id":"1","command":"pause","omitsResult":true}"#)
        let answer = await socket.answer(to: "1")
        #expect(answer["result"] == .object([]))
        #expect(answer["entityTag"]?.text?.hasPrefix("\"player:") == true)
        socket.send(text: #"{"id":"2","command":"seek","omitsResult":true}"#)
        #expect(await socket.answer(to: "2")["problem"]?["status"]?.double == 400)
        socket.send(text: #"{"id":"3","command":"pause","omitsResult":1}"#)
        #expect(await socket.answer(to: "3")["problem"]?["pointer"]?.text == "/omitsResult")
        #expect(rig.player.performed.count == 1)
    }

    @Test(
        "an invalid field has a pointer to it, and nothing is performed",
        arguments: [
            ("ifMatch", "queue:e0:1", "invalid-value"), ("ifMatch", "", "invalid-value"),
            ("ifMatch", String(repeating: "e\u{301}", count: 4096), "text-too-long"), ("idempotencyKey", "", "invalid-value"),
            ("idempotencyKey", "a b", "invalid-value"), ("idempotencyKey", "é", "invalid-value"),
            ("idempotencyKey", String(repeating: "k", count: 256), "out-of-range"), ("client", String(repeating: "k", count: 1025), "out-of-range"),
        ])
    func invalidFields(_ name: String, _ value: String, _ code: String) async throws {
        let socket = try await TestSocket(rig)
        let answer = await socket.ask("pause", fields: [name: value])
        #expect(answer["problem"]?["type"]?.text == "/problems/" + code)
        #expect(answer["problem"]?["pointer"]?.text == "/" + name)
        #expect(rig.player.performed.isEmpty)
    }

    @Test("the pointers of all entries that cannot be played are pointers into the command")
    func entries() async throws {
        let (home, rig) = try Self.rigWithFile()
        let socket = try await TestSocket(rig)
        let answer = await socket.ask("addToQueue", #"{"entries":[{"url":"\#(home.path)/a.flac"},{"url":"\#(home.path)/gone"}]}"#)
        #expect(answer["problem"]?["pointer"]?.text == "/arguments/entries/1/url")
        #expect(answer["problem"]?["entries"]?[0]?["pointer"]?.text == "/arguments/entries/1/url")
    }

    @Test("an argument that is a query parameter of the operation is validated like one")
    func parameter() async throws {
        let socket = try await TestSocket(rig)
        let answer = await socket.ask("putItem", #"{"url":"file:///x","wait":61}"#)
        #expect(answer["problem"]?["parameter"]?.text == "wait")
        #expect(answer["problem"]?["pointer"]?.text == "/arguments/wait")
    }

    @Test(
        "an argument that is part of the path or query has the same limit in bytes as in a request",
        arguments: [("removeEntry", "id", Router.maximumVariableLength), ("getAsset", "keys", RequestTarget.maximumValueLength)])
    func longArgument(_ command: String, _ name: String, _ limit: Int) async throws {
        let socket = try await TestSocket(rig)
        let answer = await socket.ask(command, #"{"\#(name)":"\#(String(repeating: "x", count: limit + 1))"}"#)
        #expect(answer["problem"]?["type"]?.text == "/problems/invalid-value" && answer["problem"]?["pointer"]?.text == "/arguments/\(name)")
    }

    @Test("a refusal by the player gives the same problem as over HTTP")
    func refusal() async throws {
        let socket = try await TestSocket(rig)
        rig.player.refusal = .outOfRange(end: 60)
        let reply = await rig.send("POST", "/api/v1/player/seek", json: #"{"time":99}"#)
        let answer = await socket.ask("seek", #"{"time":99}"#)
        #expect(answer["problem"] == reply.json)
    }

    @Test(
        "a malformed command gets a problem, with its id if it has one, and the connection stays open",
        arguments: [
            ("nonsense", nil, "malformed-json", nil), ("[]", nil, "wrong-type", ""), ("{}", nil, "missing-member", "/id"),
            (#"{"id":7,"command":"pause"}"#, nil, "wrong-type", "/id"), (#"{"id":"a"}"#, "a", "missing-member", "/command"),
            (#"{"id":"a","command":"dance"}"#, "a", "not-found", "/command"), (#"{"id":"a","command":"getEvents"}"#, "a", "not-found", "/command"),
            (#"{"id":"a","command":"getSocket"}"#, "a", "not-found", "/command"),
            (#"{"id":"a","command":"pause","arguments":[]}"#, "a", "wrong-type", "/arguments"),
            (#"{"id":"a","command":"pause","extra":1}"#, "a", "unknown-member", "/extra"),
            (#"{"extra":1,"id":"a"}"#, "a", "unknown-member", "/extra"), (#"{"id":7,"extra":1}"#, nil, "wrong-type", "/id"),
        ] as [(String, String?, String, String?)])
    func nonsense(text: String, id: String?, code: String, pointer: String?) async throws {
        let socket = try await TestSocket(rig)
        socket.send(text: text)
        let answer = await socket.answer(to: id)
        #expect(answer["problem"]?["type"]?.text == "/problems/" + code)
        #expect(answer["problem"]?["pointer"]?.text == pointer)
        #expect(await socket.ask("pause")["result"] != nil)
    }

    @Test("commands reach the player in the order in which they were sent, even if the first needs the disk")
    func order() async throws {
        let (home, rig) = try Self.rigWithFile()
        let socket = try await TestSocket(rig)
        socket.command("putItem", #"{"url":"file://\#(home.path)/a.flac"}"#)
        for index in 1...20 { socket.command("updatePlayer", #"{"volume":\#(Double(index) / 100)}"#) }
        _ = await socket.ask("pause")
        #expect(rig.player.performed.count == 22)
        if case .setItem = rig.player.performed[0].command {} else { Issue.record("the item was not the first") }
        let volumes = rig.player.performed.compactMap { if case .update(let update) = $0.command { update.volume } else { nil } }
        #expect(volumes == (1...20).map { Double($0) / 100 })
    }

    @Test("a command that waits for a load delays neither later commands nor events")
    func longCommand() async throws {
        let (home, rig) = try Self.rigWithFile()
        let socket = try await TestSocket(rig)
        let load = socket.command("putItem", #"{"url":"file://\#(home.path)/a.flac","wait":10}"#)
        #expect(await socket.ask("pause")["result"] != nil)
        #expect(rig.player.pendingLoads == 1)
        _ = socket.events()
        rig.player.change { $0.volume = 0.5 }
        #expect(socket.events().map { $0["event"]?.text } == ["state"])
        rig.player.finishLoading()
        #expect(await socket.answer(to: load)["result"]?["status"]?.text == "readyToPlay")
    }
}
