import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of changes that a client repeats with the same `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
@MainActor @Suite struct IdempotencyTests {
    private let rig: TestRig
    private let home: TemporaryDirectory

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.file("a.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path]) }
    }

    private func post(_ path: String, _ key: String, json: String? = nil) async -> Reply {
        await rig.send("POST", "/api/v1" + path, headers: [("Idempotency-Key", key)], json: json)
    }
    private var addition: String { #"{"entries":[{"url":"\#(home.path)/a.flac"}]}"# }

    @Test("a repeated request gets the first answer again and is not performed twice")
    func again() async throws {
        let first = await post("/queue", "k1", json: addition)
        rig.player.change { $0.volume = 0.5 }
        let second = await post("/queue", "k1", json: addition)
        #expect(first.status == 201)
        #expect(second.status == 201)
        #expect(second.body == first.body)
        #expect(first.header("Idempotency-Replayed") == nil)
        #expect(second.header("Idempotency-Replayed") == "true")
        #expect(rig.player.performed.count == 1)
    }

    @Test("every change supports the key: POST, PUT, PATCH and DELETE")
    func everyChange() async throws {
        let directory = FakeDirectory()
        let rig = try TestRig {
            $0.media = try PathConfinement(roots: [home.path])
            $0.outputs = directory
        }
        func performed() -> Int { rig.player.performed.count + rig.player.moves.count + directory.volumeChangeCount }
        let bodies = [
            "addToQueue": addition, "putQueue": addition, "seek": #"{"time":1}"#, "moveEntry": #"{"index":0}"#,
            "removeEntries": #"{"ids":["ID"]}"#, "moveEntries": #"{"ids":["ID"],"position":"end"}"#,
            "putItem": #"{"url":"\#(home.path)/a.flac"}"#, "updatePlayer": #"{"volume":0.5}"#, "setOutput": #"{"id":"auto"}"#,
            "skip": #"{"seconds":1}"#, "changeVolume": #"{"by":-0.5}"#, "setLoop": #"{"start":0,"end":1}"#,
            "setSleepTimer": #"{"seconds":1}"#, "updateOutput": #"{"volume":0.25}"#,
        ]
        var count = 0
        for route in rig.api.routes where route.method != "GET" && !route.isOpen {
            _ = await rig.send("PUT", "/api/v1/queue", json: #"{"entries":[{"url":"\#(home.path)/a.flac"},{"url":"\#(home.path)/a.flac"}]}"#)
            if route.operationID == "previousEntry" { _ = await rig.send("POST", "/api/v1/queue/next") }
            let id = rig.player.entries.first?.id ?? ""
            let path = route.template.replacing("{id}", with: id).replacing("{output}", with: "pulse:alsa_output.usb-dac")
            let json = bodies[route.operationID].map { $0.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: id) }
            let before = performed()
            var replies: [Reply] = []
            for _ in 0..<2 {
                replies.append(await rig.send(route.method, path, headers: [("Idempotency-Key", route.operationID)], json: json))
            }
            #expect((200..<300).contains(replies[0].status), "\(route.operationID) \(replies[0].text)")
            #expect(replies[1].status == replies[0].status && replies[1].body == replies[0].body, "\(route.operationID)")
            #expect(replies[1].header("ETag") == replies[0].header("ETag"), "\(route.operationID)")
            #expect(replies.map { $0.header("Idempotency-Replayed") } == [nil, "true"], "\(route.operationID)")
            #expect(performed() == before + 1, "\(route.operationID)")
            count += 1
        }
        #expect(count >= 23)
    }

    @Test("a request with another key or without a key is a new request")
    func otherKey() async throws {
        for key in ["k1", "k2"] { #expect(await post("/queue", key, json: addition).header("Idempotency-Replayed") == nil) }
        _ = await rig.send("POST", "/api/v1/queue", json: addition)
        _ = await rig.send("POST", "/api/v1/queue", json: addition)
        #expect(rig.player.performed.count == 4)
    }

    @Test("a key reused with another body, query or path is refused, and nothing is performed")
    func reused() async throws {
        _ = await post("/player/play", "k1")
        for (path, body) in [("/player/play", #"{"rate":2}"#), ("/player/pause", nil), ("/queue/next", "{}")] {
            let reply = await post(path, "k1", json: body)
            #expect(reply.status == 422)
            #expect(reply.problem == "idempotency-key-reused")
        }
        #expect(rig.player.performed.count == 1)
    }

    @Test("white space and escapes do not make a different request; the order of members and of entries does")
    func sameMeaning() async throws {
        let url = home.path + "/a.flac"
        let spellings = [
            #"{"entries":[{"url":"\#(url)","title":"A"},{"url":"\#(url)"}],"play":true}"#,
            #"{ "entries" : [ {"url":"\#(url)", "title":"\u0041"}, {"url":"\#(url)"} ], "play" : true }"#,
        ]
        for spelling in spellings { #expect(await post("/queue", "k1", json: spelling).status == 201) }
        #expect(rig.player.performed.count == 1)
        let others = [
            #"{"entries":[{"url":"\#(url)"},{"url":"\#(url)","title":"A"}],"play":true}"#,
            #"{"play":true,"entries":[{"url":"\#(url)","title":"A"},{"url":"\#(url)"}]}"#,
        ]
        for other in others { #expect(await post("/queue", "k1", json: other).problem == "idempotency-key-reused") }
        #expect(rig.player.performed.count == 1)
    }

    @Test("a failed request is not remembered, and is performed when it is repeated")
    func failed() async throws {
        rig.player.refusal = .noItem
        #expect(await post("/player/seek", "k1", json: #"{"time":1}"#).status == 409)
        rig.player.refusal = nil
        let reply = await post("/player/seek", "k1", json: #"{"time":1}"#)
        #expect(reply.status == 200)
        #expect(reply.header("Idempotency-Replayed") == nil)
        // The response to the first request is repeated, even if that request failed before it reached the player.
        #expect(await post("/queue", "k2", json: "{").status == 400)
        #expect(await post("/queue", "k2", json: addition).status == 201)
    }

    @Test("a request repeated while the first is in progress gets 409")
    func busy() async throws {
        rig.player.holdsSeeks = true
        async let first = post("/player/seek", "k1", json: #"{"time":1}"#)
        await rig.until { rig.player.heldSeeks == 1 }
        let second = await post("/player/seek", "k1", json: #"{"time":1}"#)
        #expect(second.status == 409)
        #expect(second.problem == "request-in-progress")
        rig.player.releaseSeeks()
        #expect(await first.status == 200)
        #expect(await post("/player/seek", "k1", json: #"{"time":1}"#).header("Idempotency-Replayed") == "true")
    }

    @Test("a key that is not 1 to 255 visible characters is refused", arguments: ["", " ", "a b", "é", String(repeating: "k", count: 256)])
    func malformed(_ key: String) async throws {
        #expect(await post("/player/play", key).problem == "malformed-request")
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a request with two keys is refused")
    func two() async throws {
        let headers = [("Idempotency-Key", "a"), ("idempotency-key", "a")]
        #expect(await rig.send("POST", "/api/v1/player/play", headers: headers).problem == "malformed-request")
    }

    @Test("a key has no effect on a request that changes nothing")
    func reads() async throws {
        for _ in 0..<2 {
            #expect(await rig.send("GET", "/api/v1/player", headers: [("Idempotency-Key", "k")]).header("Idempotency-Replayed") == nil)
        }
    }

    @Test("a request that changed the player before it failed is not carried out again")
    func failedAfterChange() async throws {
        func put() async -> Reply {
            async let reply = rig.send(
                "PUT", "/api/v1/player/item?wait=10", headers: [("Idempotency-Key", "k")], json: #"{"url":"\#(home.path)/a.flac"}"#)
            await rig.until { rig.player.pendingLoads == 1 || rig.player.performed.count > 1 }
            if rig.player.pendingLoads == 1 { rig.player.finishLoading(PlayerState.Failure(code: .corruptMedia, message: "It is damaged.")) }
            return await reply
        }
        let first = await put()
        #expect(first.status == 422 && first.problem == "item-failed")
        let second = await rig.send(
            "PUT", "/api/v1/player/item?wait=10", headers: [("Idempotency-Key", "k")], json: #"{"url":"\#(home.path)/a.flac"}"#)
        #expect(second.status == 422 && second.body == first.body && second.header("Idempotency-Replayed") == "true")
        #expect(rig.player.performed.count == 1)
    }

    // MARK: Clients

    @Test("clients with different names use the same key for different requests, and never get each other's responses")
    func names() async throws {
        for name in ["kitchen", "bath"] {
            let reply = await rig.send(
                "POST", "/api/v1/queue/next", headers: [("Idempotency-Key", "1"), ("Tonearm-Client", name)])
            #expect(reply.header("Idempotency-Replayed") == nil)
        }
        let other = await rig.send(
            "PATCH", "/api/v1/player", headers: [("Idempotency-Key", "1"), ("Tonearm-Client", "hall")], json: #"{"volume":0.5}"#)
        #expect(other.status == 200)
        #expect(rig.player.performed.count == 3)
    }

    @Test("clients of two networks have their own keys; one client keeps its keys over another connection")
    func networks() async throws {
        func post(_ address: String) async -> String? {
            let peer = HTTPPeer(address: address, isLoopback: false)
            return await rig.send("POST", "/api/v1/player/pause", headers: [("Idempotency-Key", "1")], peer: peer).header("Idempotency-Replayed")
        }
        #expect(await post("192.168.1.2") == nil)
        #expect(await post("192.168.1.3") == nil)
        #expect(await post("192.168.1.2") == "true")
        // The addresses of one IPv6 network count as one client, because they may belong to one machine.
        #expect(await post("2001:db8::1") == nil)
        #expect(await post("2001:db8::2") == "true")
    }

    @Test("with a token, a named client keeps its keys in another network, and a browser by its cookie")
    func credentials() async throws {
        let token = "a-token-of-this-test"
        let rig = try TestRig { $0.tokens = [try #require(AccessToken(token))] }
        func pause(_ headers: [(String, String)], from address: String) async -> Reply {
            let peer = HTTPPeer(address: address, isLoopback: false)
            return await rig.send("POST", "/api/v1/player/pause", headers: headers + [("Idempotency-Key", "1")], peer: peer)
        }
        func replayed(_ headers: [(String, String)], from address: String) async -> Bool {
            await pause(headers, from: address).header("Idempotency-Replayed") == "true"
        }
        let bearer = ("Authorization", "Bearer " + token)
        #expect(await !replayed([bearer, ("Tonearm-Client", "phone")], from: "192.168.1.2"))
        #expect(await replayed([bearer, ("Tonearm-Client", "phone")], from: "10.0.0.9"))
        #expect(await !replayed([bearer, ("Tonearm-Client", "tablet")], from: "10.0.0.9"))
        #expect(await !replayed([bearer], from: "192.168.1.2"))
        #expect(await !replayed([bearer], from: "10.0.0.9"))
        var cookies: [(String, String)] = []
        for _ in 0..<2 {
            let login = await rig.send("POST", "/api/v1/login", json: #"{"token":"\#(token)"}"#)
            let value = try #require(login.header("Set-Cookie")?.split(separator: ";").first)
            cookies.append(("Cookie", String(value)))
        }
        #expect(await !replayed([cookies[0]], from: "192.168.1.2"))
        #expect(await replayed([cookies[0]], from: "10.0.0.9"))
        #expect(await !replayed([cookies[1]], from: "192.168.1.2"))
    }

    @Test("the newest answers of a client are kept for an hour")
    func bounds() async throws {
        for number in 0..<(IdempotencyKeys.ofOne.count + 5) { _ = await post("/player/pause", "k\(number)") }
        #expect(await post("/player/pause", "k0").header("Idempotency-Replayed") == nil)
        #expect(await post("/player/pause", "k254").header("Idempotency-Replayed") == "true")
        rig.time.advance(by: IdempotencyKeys.lifetime + 1)
        #expect(await post("/player/pause", "k254").header("Idempotency-Replayed") == nil)
    }

    // MARK: The keys alone

    private func request(_ key: String, _ network: String = "10.0.0.1") throws -> RouteRequest {
        let peer = HTTPPeer(address: network, isLoopback: false)
        let request = TestRig.request("POST", "/x", headers: [("Idempotency-Key", key)], peer: peer)
        return RouteRequest(request: request, fields: RequestFields(request), target: try RequestTarget(request), variables: [:])
    }
    /// Whether the request with `key` was carried out. False means that it got the kept response.
    private func once(_ keys: IdempotencyKeys, _ key: String, _ network: String = "10.0.0.1", size: Int = 10) throws -> Bool {
        var isCarriedOut = false
        _ = try keys.once(try request(key, network), "play") {
            isCarriedOut = true
            return .now(.json([UInt8](repeating: 0x20, count: size)))
        }
        return isCarriedOut
    }
    /// Begins a request with `key`, which stays in progress.
    private func begin(_ keys: IdempotencyKeys, _ key: String, _ network: String = "10.0.0.1") throws {
        _ = try keys.once(try request(key, network), "play") { .onMainActor { () throws(Problem) -> HTTPResponse in .empty() } }
    }

    @Test("large answers displace older ones of the same client, so that memory is bounded")
    func bytes() throws {
        let keys = IdempotencyKeys(clock: rig.time)
        for number in 0..<20 { _ = try once(keys, "k\(number)", size: 1 << 20) }
        #expect(keys.count == 3)
        #expect(keys.bytes <= IdempotencyKeys.ofOne.bytes)
        #expect(try once(keys, "other", "10.0.0.2"))
        for client in 3..<20 { _ = try once(keys, "c\(client)", "10.0.0.\(client)", size: 1 << 20) }
        #expect(keys.bytes <= IdempotencyKeys.all.bytes)
    }

    @Test("an answer larger than a client's share is still remembered")
    func largest() throws {
        let keys = IdempotencyKeys(clock: rig.time)
        #expect(try once(keys, "small"))
        #expect(try once(keys, "large", size: 5 << 20))
        #expect(try !once(keys, "large", size: 5 << 20))
        #expect(try once(keys, "small"))
    }

    @Test("refused requests leave no entry, and do not displace a remembered answer")
    func refused() throws {
        let keys = IdempotencyKeys(clock: rig.time)
        #expect(try once(keys, "first"))
        let (count, bytes) = (keys.count, keys.bytes)
        for number in 0..<5000 {
            #expect(throws: Problem.self) {
                try keys.once(try request("k\(number)"), "play") { () throws(Problem) -> Route.Outcome in throw Problem(.noCurrentItem, "") }
            }
        }
        #expect(keys.count == count)
        #expect(keys.bytes == bytes)
        #expect(try !once(keys, "first"))
    }

    @Test("a request in progress is never forgotten, however many follow it")
    func underWay() throws {
        let keys = IdempotencyKeys(clock: rig.time)
        try begin(keys, "slow")
        for client in 0..<10 { for number in 0..<300 { _ = try once(keys, "k\(client)-\(number)", "10.0.1.\(client)", size: 1000) } }
        rig.time.advance(by: IdempotencyKeys.lifetime + 1)
        for number in 0..<300 { _ = try once(keys, "k\(number)", size: 1 << 20) }
        let problem = #expect(throws: Problem.self) { try once(keys, "slow") }
        #expect(problem?.code == .requestInProgress)
        #expect(keys.count <= IdempotencyKeys.all.count)
    }

    @Test("a client with too many requests in progress is refused with a time for a retry; other clients are not")
    func full() throws {
        let keys = IdempotencyKeys(clock: rig.time)
        for number in 0..<IdempotencyKeys.ofOne.count { try begin(keys, "k\(number)") }
        let problem = #expect(throws: Problem.self) { try begin(keys, "one-more") }
        #expect(problem?.code == .tooManyRequests)
        #expect(problem?.retryAfter == 1)
        for client in 1..<(IdempotencyKeys.all.count / IdempotencyKeys.ofOne.count) {
            for number in 0..<IdempotencyKeys.ofOne.count { try begin(keys, "c\(client)-\(number)", "10.0.1.\(client)") }
        }
        #expect(throws: Problem.self) { try begin(keys, "one-more", "10.0.2.1") }
        #expect(keys.count == IdempotencyKeys.all.count)
    }

    @Test("a finished answer is displaced before an older request in progress")
    func finishedFirst() throws {
        let keys = IdempotencyKeys(clock: rig.time)
        for number in 0..<(IdempotencyKeys.ofOne.count - 1) { try begin(keys, "k\(number)") }
        #expect(try once(keys, "done"))
        try begin(keys, "next")
        #expect(throws: Problem.self) { try once(keys, "done") }
    }
}
