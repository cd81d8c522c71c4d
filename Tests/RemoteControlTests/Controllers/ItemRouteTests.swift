import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

@MainActor @Suite struct ItemRouteTests {
    private let home: TemporaryDirectory
    private let rig: TestRig

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        try home.file("music/one.flac")
        try home.file("music/two.flac")
        try home.directory("secret")
        try home.file("secret/key.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    private func put(_ url: String, query: String = "", extra: String = "", peer: HTTPPeer = .loopback) async -> Reply {
        let url = String(decoding: JSONWriter.object { $0.member("url", url) }, as: UTF8.self).dropLast()
        return await rig.send("PUT", "/api/v1/player/item" + query, json: url + extra + "}", peer: peer)
    }
    private var loaded: EntrySpec? {
        if case .setItem(let entry, _, _)? = rig.player.performed.last?.command { entry } else { nil }
    }

    // MARK: Loading

    @Test("a file is loaded at once, with status unknown")
    func file() async throws {
        let reply = await put("file://" + home.path + "/music/one.flac", extra: #","play":true,"startTime":12.5,"title":"One""#)
        #expect(reply.status == 201)
        #expect(reply.header("Location") == "/api/v1/player/item")
        #expect(reply.json?["status"]?.text == "unknown")
        #expect(reply.json?["id"]?.text == "e1")
        let url = "file://" + home.path + "/music/one.flac"
        #expect(reply.json?["url"]?.text == url)
        var source = MediaSource(.file(path: home.path + "/music/one.flac"))
        source.followsLinks = false
        let entry = EntrySpec(source: source, url: url, title: "One")
        #expect(rig.player.performed == [FakeRemotePlayer.Performed(command: .setItem(entry, play: true, startTime: 12.5), origin: "remote")])
    }

    @Test("the program plays the media of its command line by the rules for clients, and gets the reason if it cannot")
    func ofProgram() async throws {
        let paths = ["one", "gone", "../secret/key"].map { "\(home.path)/music/\($0).flac" }
        for error in [nil, PlayerState.Failure(code: .corruptMedia, message: "It is noise.")] {
            async let reason = rig.api.play([paths[0]], client: "command line")
            await rig.until { rig.player.pendingLoads == 1 }
            rig.player.finishLoading(error)
            #expect(await reason == error?.message)
            #expect(loaded?.url == "file://" + paths[0])
            #expect(rig.player.performed.last?.origin == "command line")
        }
        #expect(await rig.api.play([paths[1]], client: "command line") == "There is no file at this path.")
        #expect(rig.player.performed.count == 2)
        // A missing file does not prevent the playback of the others, a forbidden one does.
        #expect(await rig.api.play([paths[0], paths[1]], client: "command line") == nil)
        guard case .setQueue(let entries, start: nil, play: true)? = rig.player.performed.last?.command else { throw Unexpected() }
        #expect(entries.map(\.failure?.code) == [nil, .fileNotFound])
        #expect(await rig.api.play([paths[0], paths[2]], client: "command line") != nil)
        #expect(rig.player.performed.count == 3)
    }
    struct Unexpected: Error {}

    @Test("every form of a local file's URL is accepted", arguments: ["file:", "file://", "file://localhost", "FILE://LocalHost", ""])
    func spellings(_ prefix: String) async throws {
        #expect(await put(prefix + home.path + "/music/one.flac").status == 201)
        #expect(loaded?.source.location == .file(path: home.path + "/music/one.flac"))
    }

    @Test("an http URL is opened in its ASCII form, and reported without its password")
    func remote() async throws {
        let reply = await put("https://user:pass%20word@Example.com:8443/a b/é?q=x y&z=1#part")
        #expect(reply.status == 201)
        #expect(loaded?.source.location == .remote(url: "https://user:pass%20word@Example.com:8443/a%20b/%C3%A9?q=x%20y&z=1"))
        #expect(reply.json?["url"]?.text == "https://Example.com:8443/a%20b/%C3%A9?q=x%20y&z=1")
        #expect(!reply.text.contains("pass"))
    }

    @Test(
        "the checked host and the opened host are the same, despite combining marks, backslashes and at signs",
        arguments: [
            ("http://127.0.0.1:7798/\u{301}x@example.com/a.mp3", "http://127.0.0.1:7798/%CC%81x@example.com/a.mp3"),
            ("http://127.0.0.1?\u{301}x@example.com/a.mp3", "http://127.0.0.1?%CC%81x@example.com/a.mp3"),
            ("http://127.0.0.1/a.mp3#\u{301}@example.com/", "http://127.0.0.1/a.mp3"),
            ("http://127.0.0.1/\\x@example.com/a.mp3", "http://127.0.0.1/%5Cx@example.com/a.mp3"),
        ])
    func sameHost(_ url: String, _ opened: String) async throws {
        let reply = await put(url)
        #expect(reply.status == 201)
        #expect(reply.json?["url"]?.text == opened)
        #expect(loaded?.source.location == .remote(url: opened))
    }

    @Test(
        "an authority with characters other than valid ASCII ones is refused",
        arguments: [
            "http:/\u{301}/example.com/x", "http://127.0.0.1\\@example.com/x", "http://a\\b@example.com/x", "http://127.0.0.1@\u{301}example.com/x",
            "http://user\u{301}@example.com/x", "http://us er@example.com/x", "http://a@127.0.0.1@example.com/x", "http://@@example.com/x",
            "http://us%zz@example.com/x", "http://us%4@example.com/x", "http://[a]@example.com/x", "http://example.com\u{301}/x", "http://a@/x",
        ])
    func strictAuthority(_ url: String) async throws {
        let reply = await put(url)
        #expect(reply.status == 400)
        #expect(reply.problem == "invalid-value")
        #expect(rig.player.performed.isEmpty)
    }

    @Test(
        "a path longer than the system's limit is refused by its text alone, inside and outside the roots",
        arguments: ["/music", "file:///music", "file:///nowhere", "/"].flatMap { start in
            [start + String(repeating: "/a", count: 2048), start + "/" + String(repeating: "x", count: 256)]
        })
    func longPath(_ url: String) async throws {
        let reply = await put(url)
        #expect(reply.status == 422 && reply.problem == "text-too-long" && reply.pointer == "/url")
        #expect(reply.json?["detail"]?.text?.contains("bytes") == true)
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a file whose name begins with a combining mark is found")
    func markedFile() async throws {
        try home.file("music/\u{301}x.flac")
        #expect(await put("file://" + home.path + "/music/\u{301}x.flac").status == 201)
    }

    @Test(
        "a control character is named as the fault", arguments: ["/music/a\tb.flac", "file:///music/a\u{7F}b.flac", "http://example.com/\r\nx"])
    func controlCharacters(_ url: String) async throws {
        let url = url.unicodeScalars.map {
            $0.value < 0x20 || $0.value == 0x7F ? "\\u00" + ($0.value < 16 ? "0" : "") + String($0.value, radix: 16) : String($0)
        }
        let reply = await rig.send("PUT", "/api/v1/player/item", json: "{\"url\":\"\(url.joined())\"}")
        #expect(reply.problem == "invalid-value")
        #expect(reply.json?["detail"]?.text?.contains("control character") == true)
    }

    @Test("only a client on this machine may let the server open private addresses")
    func privateAddresses() async throws {
        _ = await put("http://192.168.0.1/x.mp3")
        #expect(loaded?.source.allowsPrivateAddresses == true)
        _ = await put("http://192.168.0.1/x.mp3", peer: HTTPPeer(address: "192.168.0.7", isLoopback: false))
        #expect(loaded?.source.allowsPrivateAddresses == false)
    }

    @Test("with --allow-private-urls clients of other machines may use private addresses too")
    func allowedPrivateAddresses() async throws {
        let rig = try TestRig { $0.allowsPrivateURLs = true }
        let phone = HTTPPeer(address: "192.168.0.7", isLoopback: false)
        _ = await rig.send(
            "PUT", "/api/v1/player/item", headers: [("Host", "192.168.0.2:7711")], json: #"{"url":"http://192.168.0.1/x"}"#, peer: phone)
        guard case .setItem(let entry, _, _)? = rig.player.performed.last?.command else {
            Issue.record("nothing was loaded")
            return
        }
        #expect(entry.source.allowsPrivateAddresses)
    }

    @Test(
        "an unusable URL is refused, and the current item is unchanged",
        arguments: [
            ("ftp://example.com/x", 422, "unsupported-scheme"), ("concat:/a|/b", 422, "unsupported-scheme"),
            ("subfile,,start,0,end,1,,:/etc/passwd", 400, "invalid-value"),
            ("data:audio/wav;base64,AA", 422, "unsupported-scheme"), ("javascript:alert(1)", 422, "unsupported-scheme"),
            ("C:\\x.mp3", 422, "unsupported-scheme"),
            ("x.mp3", 400, "invalid-value"), ("", 400, "invalid-value"), ("http:", 400, "invalid-value"), ("http://", 400, "invalid-value"),
            ("http:///x", 400, "invalid-value"),
            ("http://a b/", 400, "invalid-value"), ("http://a@b@c/", 400, "invalid-value"), ("http://exämple.com/", 400, "invalid-value"),
            ("http://h:99999/", 400, "invalid-value"),
            ("http://x/\n", 400, "invalid-value"), ("file://other/x.mp3", 400, "invalid-value"), ("file:x.mp3", 400, "invalid-value"),
            ("file:///x#y", 400, "invalid-value"),
            ("file:///x?y", 400, "invalid-value"), ("file:///%zz", 400, "invalid-value"), ("file:///%00", 400, "invalid-value"),
            ("file:///%ff", 403, "outside-media-roots"),
            ("file:///etc/passwd", 403, "outside-media-roots"), ("file:///no/such", 403, "outside-media-roots"),
            ("/etc/passwd", 403, "outside-media-roots"),
        ])
    func badURLs(_ url: String, _ status: Int, _ code: String) async throws {
        _ = await put(home.path + "/music/one.flac")
        let reply = await put(url)
        #expect(reply.status == status)
        #expect(reply.problem == code)
        #expect(reply.pointer == "/url")
        #expect(rig.player.performed.count == 1)
        #expect(rig.player.state.currentItem?.id == "e1")
    }

    @Test(
        "no spelling of a path leads out of the media roots",
        arguments: [
            "/music/../secret/key.flac", "/music/%2e%2e/secret/key.flac", "/music/..%2fsecret%2fkey.flac", "/music/%2E./secret/key.flac",
            "/music/link/key.flac",
            "/music/key.flac", "/secret/key.flac", "/music/one.flac/../../secret/key.flac", "/music/link/nothing", "/music/../secret/nothing",
        ])
    func confinement(_ path: String) async throws {
        try home.link("music/link", to: "../secret")
        try home.link("music/key.flac", to: "../secret/key.flac")
        #expect(await put("file://" + home.path + path).problem == "outside-media-roots")
        // The path is percent-decoded once. So a dot that was encoded twice (`%252e`) stays a literal name, and does not mean the parent folder.
        #expect(await put("file://" + home.path + "/music/%252e%252e/secret/key.flac").problem == "file-not-found")
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a missing file gives 404; a directory and a pipe are unplayable")
    func notFiles() async throws {
        try home.pipe("music/pipe.flac")
        #expect(await put(home.path + "/music/nothing.flac").problem == "file-not-found")
        #expect(await put(home.path + "/music").problem == "unplayable-file")
        #expect(await put(home.path + "/music/pipe.flac").problem == "unplayable-file")
        #expect(rig.player.performed.isEmpty)
    }

    @Test(
        "an invalid body is refused with a pointer to the fault",
        arguments: [
            ("{}", "missing-member", "/url"), (#"{"url":1}"#, "wrong-type", "/url"), (#"{"url":"/x","play":"yes"}"#, "wrong-type", "/play"),
            (#"{"url":"/x","startTime":-1}"#, "out-of-range", "/startTime"), (#"{"url":"/x","startTime":1e12}"#, "out-of-range", "/startTime"),
            (#"{"url":"/x","autoplay":true}"#, "unknown-member", "/autoplay"), (#"{"url":"/x\u0000"}"#, "invalid-value", "/url"),
            (#"{"url":"/x","title":2}"#, "wrong-type", "/title"),
        ])
    func badBody(_ json: String, _ code: String, _ pointer: String) async throws {
        let reply = await rig.send("PUT", "/api/v1/player/item", json: json)
        #expect(reply.status == 400)
        #expect(reply.problem == code)
        #expect(reply.pointer == pointer)
    }

    @Test("the length of url and title is limited, in UTF-8 bytes")
    func longTexts() async throws {
        #expect(await put("/" + String(repeating: "x", count: 8192)).pointer == "/url")
        #expect(await put("/x", extra: #","title":"\#(String(repeating: "x", count: 1025))""#).pointer == "/title")
        // The limit of a title counts bytes, not characters. The limit of a URL counts the bytes of its percent-encoded form.
        #expect(await put("/x", extra: #","title":"\#(String(repeating: "😀", count: 257))""#).problem == "text-too-long")
        #expect(await put("/" + String(repeating: "😀", count: 2048)).problem == "text-too-long")
        #expect(await put("http://a.example/" + String(repeating: "😀", count: 1000)).pointer == "/url")
        #expect(await put("http://a.example/" + String(repeating: "😀", count: 1000)).problem == "text-too-long")
        #expect(await put("http://a.example/" + String(repeating: "😀", count: 680)).status == 201)
    }

    // MARK: Waiting

    @Test("PUT with wait answers as soon as the item is ready")
    func waitReady() async throws {
        async let reply = put(home.path + "/music/one.flac", query: "?wait=10")
        await rig.until { rig.player.pendingLoads == 1 }
        rig.player.finishLoading()
        #expect(await reply.status == 201)
        #expect(await reply.json?["status"]?.text == "readyToPlay")
        #expect(await reply.json?["duration"]?.double == 60)
        #expect(rig.time.timerCount == 0)
    }

    @Test("PUT with wait answers 422 with the item's error if the item fails")
    func waitFailed() async throws {
        async let reply = put(home.path + "/music/one.flac", query: "?wait=10")
        await rig.until { rig.player.pendingLoads == 1 }
        rig.player.finishLoading(PlayerState.Failure(code: .corruptMedia, message: "This is not sound."))
        #expect(await reply.status == 422)
        #expect(await reply.problem == "item-failed")
        #expect(await reply.json?["error"]?["code"]?.text == "corruptMedia")
        #expect(await reply.json?["detail"]?.text == "This is not sound.")
    }

    @Test("PUT with wait answers with the item in status unknown after the time-out")
    func waitTimeOut() async throws {
        async let reply = put(home.path + "/music/one.flac", query: "?wait=2.5")
        await rig.until { rig.player.pendingLoads == 1 && rig.time.timerCount == 1 }
        rig.time.advance(by: 2.5)
        #expect(await reply.status == 201)
        #expect(await reply.json?["status"]?.text == "unknown")
        rig.player.finishLoading()
    }

    @Test("PUT with wait answers 409 if another item is loaded meanwhile")
    func waitReplaced() async throws {
        async let reply = put(home.path + "/music/one.flac", query: "?wait=10")
        await rig.until { rig.player.pendingLoads == 1 }
        _ = await put(home.path + "/music/two.flac")
        #expect(await reply.status == 409)
        #expect(await reply.problem == "item-replaced")
    }

    @Test("a wait that is out of range or not a number is refused", arguments: ["-1", "61", "x", "", "1e400", "NaN", "0x10", " 1"])
    func badWait(_ wait: String) async throws {
        let reply = await put(
            home.path + "/music/one.flac", query: "?wait=" + wait.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20"))
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "wait")
        #expect(rig.player.performed.isEmpty)
    }

    // MARK: Reading and removing

    @Test("GET returns the current item, or 404 if there is none")
    func current() async throws {
        let none = await rig.send("GET", "/api/v1/player/item")
        #expect(none.status == 404)
        #expect(none.problem == "item-not-found")
        _ = await put(home.path + "/music/one.flac")
        #expect(await rig.send("GET", "/api/v1/player/item").json?["id"]?.text == "e1")
    }

    // MARK: Artwork

    @Test("artwork has its media type and a tag, and the tag gives 304")
    func artwork() async throws {
        rig.player.artworks.withLock { $0["e 1"] = Artwork(mimeType: "image/JPG", data: [0xFF, 0xD8]) }
        let reply = await rig.send("GET", "/api/v1/items/e%201/artwork")
        #expect(reply.status == 200)
        #expect(reply.body == [0xFF, 0xD8])
        #expect(reply.header("Content-Type") == "image/jpeg")
        let tag = try #require(reply.header("ETag"))
        let again = await rig.send("GET", "/api/v1/items/e%201/artwork", headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
    }

    @Test("the picture of a feed is answered like that of a medium, and clients do not see its URL")
    func artworkOfFeed() async throws {
        var item = PlayerState.Item(id: "e1", url: "file:///x", hasArtwork: true)
        item.picture = "http://user:secret@h.example/a.jpg"
        rig.player.change { $0.currentItem = item }
        #expect(await rig.send("GET", "/api/v1/items/e1/artwork").problem == "artwork-not-found")
        rig.player.picturesOfMedia["e1"] = Artwork(mimeType: "image/png", data: [1, 2])
        #expect(await rig.send("GET", "/api/v1/items/e1/artwork").header("Content-Type") == "image/png")
        for target in ["/api/v1/player", "/api/v1/player/item", "/api/v1/queue", "/api/v1/items/e1"] {
            let reply = await rig.send("GET", target)
            #expect(!reply.text.contains("secret") && !reply.text.contains("h.example"))
        }
    }

    @Test("artwork that is no longer in memory is read from its medium again")
    func artworkReadAgain() async throws {
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///x", hasArtwork: true) }
        #expect(await rig.send("GET", "/api/v1/items/e1/artwork").problem == "artwork-not-found")
        rig.player.picturesOfMedia["e1"] = Artwork(mimeType: "image/png", data: [1, 2])
        let reply = await rig.send("GET", "/api/v1/items/e1/artwork")
        #expect(reply.status == 200)
        #expect(reply.body == [1, 2])
        #expect(rig.time.timerCount == 0)
    }

    @Test("a picture whose type could carry a script is sent as octet-stream", arguments: ["image/svg+xml", "text/html", "", "image/png\r\nX: y"])
    func hostileArtwork(_ type: String) async throws {
        rig.player.artworks.withLock { $0["e1"] = Artwork(mimeType: type, data: [1]) }
        #expect(await rig.send("GET", "/api/v1/items/e1/artwork").header("Content-Type") == "application/octet-stream")
    }

    @Test("a missing item and missing artwork have different problems")
    func noArtwork() async throws {
        _ = await put(home.path + "/music/one.flac")
        #expect(await rig.send("GET", "/api/v1/items/e1/artwork").problem == "artwork-not-found")
        #expect(await rig.send("GET", "/api/v1/items/e2/artwork").problem == "item-not-found")
        #expect(await rig.send("GET", "/api/v1/items//artwork").problem == "not-found")
    }
}
