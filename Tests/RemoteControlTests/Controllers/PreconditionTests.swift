import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of `If-Match`: if several requests change the player with the tag of one state, exactly one of them is carried out.
@MainActor @Suite struct PreconditionTests {
    private nonisolated static let clients = 12

    /// The requests that change a resource, each with the path at which clients read that resource and its tag.
    private nonisolated static let changes = [
        ("/api/v1/player", "PATCH", "/api/v1/player", #"{"volume":0.NUMBER}"#), ("/api/v1/player", "POST", "/api/v1/player/toggle", "{}"),
        ("/api/v1/player/item", "PUT", "/api/v1/player/item", #"{"url":"file://ROOT/a.flac","title":"NUMBER"}"#),
        ("/api/v1/queue", "POST", "/api/v1/queue", #"{"entries":[{"url":"ROOT/a.flac","title":"NUMBER"}]}"#),
        ("/api/v1/queue", "PUT", "/api/v1/queue", #"{"entries":[{"url":"ROOT/a.flac","title":"NUMBER"}]}"#),
    ]

    private let home: TemporaryDirectory
    private let rig: TestRig

    init() async throws {
        let home = try TemporaryDirectory()
        try home.file("a.flac")
        self.home = home
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path]) }
        _ = await rig.send("PUT", "/api/v1/player/item", json: #"{"url":"\#(home.path)/a.flac"}"#)
    }

    private func count() -> Int { rig.player.performed.count + rig.player.moves.count }

    @Test("of several concurrent changes with one ETag exactly one is performed, even if each has to look up a file first", arguments: changes)
    func oneWinner(_ read: String, _ method: String, _ path: String, _ body: String) async throws {
        let tag = try #require(await rig.send("GET", read).header("ETag"))
        let before = count()
        async let statuses = withTaskGroup(of: Int.self) { group in
            for number in 10..<(10 + Self.clients) {
                let json = body.replacing("ROOT", with: home.path).replacing("NUMBER", with: "\(number)")
                group.addTask { await rig.send(method, path, headers: [("If-Match", tag)], json: json).status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let answers = await statuses
        #expect(answers.count { $0 < 300 } == 1, "\(answers)")
        #expect(answers.count { $0 == 412 } == Self.clients - 1, "\(answers)")
        #expect(count() == before + 1)
    }

    @Test("requests that wait for a publication to check their ETag are performed once")
    func oneWinnerAfterPublication() async throws {
        let volume = rig.player.state.volume
        let tag = try #require(await rig.send("GET", "/api/v1/player").header("ETag"))
        let before = count()
        // The volume has changed, but the new state is not published yet. Requests with `If-Match` wait until it is published.
        rig.player.publishesLater = true
        rig.player.change { $0.volume = 0.005 }
        async let statuses = withTaskGroup(of: Int.self) { group in
            for number in 10..<(10 + Self.clients) {
                group.addTask { await rig.send("PATCH", "/api/v1/player", headers: [("If-Match", tag)], json: #"{"volume":0.\#(number)}"#).status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await rig.until { rig.player.followerCount == Self.clients }
        // The volume is set back, so that the tag of every request is current again. Then all requests continue in one turn of the main actor.
        rig.player.publishesLater = false
        rig.player.change { $0.volume = volume }
        rig.time.run()
        let answers = await statuses
        #expect(answers.count { $0 < 300 } == 1, "\(answers)")
        #expect(count() == before + 1)
    }

    @Test("the tag of another resource is refused with the path of the resource that is needed, and with the present tag", arguments: changes)
    func otherResource(_ read: String, _ method: String, _ path: String, _ body: String) async throws {
        let json = body.replacing("ROOT", with: home.path).replacing("NUMBER", with: "10")
        let own = try #require(await rig.send("GET", read).header("ETag"))
        let before = count()
        for other in Set(Self.changes.map(\.0)) where other != read {
            let tag = try #require(await rig.send("GET", other).header("ETag"))
            let reply = await rig.send(method, path, headers: [("If-Match", tag)], json: json)
            #expect(reply.status == 412 && reply.problem == "precondition-failed", "\(tag)")
            #expect(reply.json?["detail"]?.text == "Read \(read) again and repeat the change.")
            #expect(reply.header("ETag") == reply.json?["entityTag"]?.text)
            // A list of tags in `If-Match` matches if it contains the tag of the resource (RFC 9110, section 13.1.1).
            #expect(rig.player.performed.count + rig.player.moves.count == before)
        }
        let others = Set(Self.changes.map(\.0)).subtracting([read]).map { "\"\($0.split(separator: "/").last ?? ""):e0:1\"" }
        let list = (others + [own]).joined(separator: ", ")
        #expect(await rig.send(method, path, headers: [("If-Match", list)], json: json).status < 300)
    }

    @Test("a stale tag gives 412 with the present tag, with which the same change then succeeds", arguments: changes)
    func present(_ read: String, _ method: String, _ path: String, _ body: String) async throws {
        let json = body.replacing("ROOT", with: home.path).replacing("NUMBER", with: "10")
        let kind = try #require(await rig.send("GET", read).header("ETag")).prefix { $0 != ":" }
        let reply = await rig.send(method, path, headers: [("If-Match", kind + ":old\"")], json: json)
        #expect(reply.status == 412 && reply.problem == "precondition-failed")
        let present = try #require(reply.header("ETag"))
        #expect(reply.json?["entityTag"]?.text == present)
        #expect(await rig.send(method, path, headers: [("If-Match", "W/" + present)], json: json).status == 412, "weak")
        #expect(await rig.send(method, path, headers: [("If-Match", present)], json: json).status < 300)
    }

    @Test("each change answers with the tag that it made: the tag of the next GET, which permits the next change", arguments: changes)
    func made(_ read: String, _ method: String, _ path: String, _ body: String) async throws {
        func json(_ number: Int) -> String { body.replacing("ROOT", with: home.path).replacing("NUMBER", with: "\(number)") }
        let reply = await rig.send(method, path, json: json(10))
        let tag = try #require(reply.header("ETag"))
        #expect(await rig.send("GET", read).header("ETag") == tag)
        let next = await rig.send(method, path, headers: [("If-Match", tag)], json: json(11))
        #expect(next.status < 300)
        #expect(await rig.send(method, path, headers: [("If-Match", tag)], json: json(12)).status == (next.header("ETag") == tag ? next.status : 412))
    }

    @Test("changes without content in their answer have the tag that they made too")
    func madeWithoutContent() async throws {
        _ = await rig.send("PUT", "/api/v1/queue", json: #"{"entries":[{"url":"\#(home.path)/a.flac"},{"url":"\#(home.path)/a.flac"}]}"#)
        let ids = rig.player.entries.map(\.id)
        let edits: [(String, String, String, String?)] = [
            ("POST", "/api/v1/queue/\(ids[1])/move", "/api/v1/queue", #"{"index":0}"#),
            ("POST", "/api/v1/queue/move", "/api/v1/queue", "{\"ids\":[\"\(ids[1])\"],\"index\":0}"),
            ("POST", "/api/v1/queue/remove", "/api/v1/queue", "{\"ids\":[\"\(ids[0])\"]}"),
            ("POST", "/api/v1/queue/clear-upcoming", "/api/v1/queue", nil),
            ("DELETE", "/api/v1/queue/\(ids[1])", "/api/v1/queue", nil), ("DELETE", "/api/v1/queue", "/api/v1/queue", nil),
        ]
        for (method, path, read, json) in edits {
            let reply = await rig.send(method, path, json: json)
            #expect(reply.status == 204)
            let tag = try #require(reply.header("ETag"), "\(path)")
            #expect(await rig.send("GET", read).header("ETag") == tag, "\(path)")
        }
    }

    @Test("the tag that an edit made does not match after another client's edit, even if that edit was performed before the answer was sent")
    func followed() async throws {
        rig.player.publishesLater = true
        async let first = rig.send("DELETE", "/api/v1/queue")
        await rig.until { rig.player.followerCount == 1 }
        // Another client adds an entry after the first edit, and before the response to the first edit is sent.
        _ = try await rig.player.perform(
            .insert([EntrySpec(source: .init(.remote(url: "https://a/b")), url: "https://a/b")], at: .end, play: false), origin: "b")
        rig.player.publish()
        rig.time.run()
        let tag = try #require(await first.header("ETag"))
        rig.player.publishesLater = false
        let second = await rig.send("DELETE", "/api/v1/queue", headers: [("If-Match", tag)])
        #expect(second.status == 412)
        #expect(rig.player.entries.count == 1)
    }

    @Test("* requires that the resource exists: PUT of an item needs a loaded item")
    func any() async throws {
        let json = #"{"url":"\#(home.path)/a.flac"}"#
        #expect(await rig.send("PUT", "/api/v1/player/item", headers: [("If-Match", "*")], json: json).status == 201)
        _ = await rig.send("DELETE", "/api/v1/queue", headers: [("If-Match", " * ")])
        let reply = await rig.send("PUT", "/api/v1/player/item", headers: [("If-Match", "*")], json: json)
        #expect(reply.status == 412)
        #expect(reply.header("ETag") == nil && reply.json?["entityTag"] == nil)
    }

    @Test("a new item is refused if another client has edited the queue since, because it replaces the whole queue")
    func itemAndQueue() async throws {
        let tag = try #require(await rig.send("GET", "/api/v1/player/item").header("ETag"))
        _ = await rig.send("POST", "/api/v1/queue", json: #"{"entries":[{"url":"\#(home.path)/a.flac"}]}"#)
        let json = #"{"url":"\#(home.path)/a.flac"}"#
        #expect(await rig.send("PUT", "/api/v1/player/item", headers: [("If-Match", tag)], json: json).status == 412)
        #expect(rig.player.entries.count == 2)
    }

    @Test(
        "a value that is neither * nor a list of quoted tags is malformed",
        arguments: [
            "", " ", ",", "e0:1", "queue:e0:1", "\"a", "a\"", "\"a\" \"b\"", "*, \"a\"", "\"a\", *", "W/", "w/\"a\"", "'a'", "\"a b\"", "\"a\"x",
        ])
    func malformed(_ value: String) async throws {
        let reply = await rig.send("DELETE", "/api/v1/queue", headers: [("If-Match", value)])
        #expect(reply.status == 400 && reply.problem == "malformed-request")
        #expect(rig.player.entries.count == 1)
    }

    @Test("tags may contain commas, and a list may have empty elements", arguments: [", \"a,b\" ,, TAG", "\"\",TAG,", "W/\"x\"\t,\tTAG"])
    func lists(_ value: String) async throws {
        let tag = try #require(await rig.send("GET", "/api/v1/queue").header("ETag"))
        let reply = await rig.send("DELETE", "/api/v1/queue", headers: [("If-Match", value.replacing("TAG", with: tag))])
        #expect(reply.status == 204)
    }

    // MARK: The current entry

    private func fill() async -> [String] {
        let entries = Array(repeating: #"{"url":"\#(home.path)/a.flac"}"#, count: 4).joined(separator: ",")
        _ = await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[\(entries)]}")
        return rig.player.entries.map(\.id)
    }

    @Test("of several clients that skip the same entry at once, only the first skips", arguments: ["next", "ID/play"])
    func skip(_ path: String) async throws {
        let ids = await fill()
        let path = "/api/v1/queue/" + path.replacing("ID", with: ids[1])
        let body = #"{"current":"\#(ids[0])"}"#
        async let first = rig.send("POST", path, json: body)
        async let second = rig.send("POST", path, json: body)
        async let third = rig.send("POST", path, json: body)
        let replies = await [first, second, third].sorted { $0.status < $1.status }
        #expect(replies.map(\.status) == [200, 412, 412])
        #expect(replies[1].problem == "current-entry-changed")
        #expect(replies[1].json?["currentId"]?.text == ids[1])
        #expect(rig.player.state.queue.index == 1)
    }

    @Test("previous is guarded by the current entry too")
    func back() async throws {
        let ids = await fill()
        _ = await rig.send("POST", "/api/v1/queue/next")
        _ = await rig.send("POST", "/api/v1/queue/next")
        let replies = [
            await rig.send("POST", "/api/v1/queue/previous", json: #"{"current":"\#(ids[2])"}"#),
            await rig.send("POST", "/api/v1/queue/previous", json: #"{"current":"\#(ids[2])"}"#),
        ]
        #expect(replies.map(\.status) == [200, 412])
        #expect(rig.player.state.queue.index == 1)
    }

    @Test("a step from an entry is refused if no entry is current")
    func nothing() async throws {
        _ = await rig.send("DELETE", "/api/v1/queue")
        let reply = await rig.send("POST", "/api/v1/queue/next", json: #"{"current":"e1"}"#)
        #expect(reply.status == 412 && reply.problem == "current-entry-changed")
        #expect(reply.json?["currentId"] == nil)
    }

    @Test(
        "a guard that is not the text of an id is refused",
        arguments: [("1", "wrong-type"), ("\"" + String(repeating: "e", count: 257) + "\"", "out-of-range")])
    func malformedGuard(_ value: String, _ code: String) async throws {
        let reply = await rig.send("POST", "/api/v1/queue/next", json: "{\"current\":\(value)}")
        #expect(reply.status == 400 && reply.problem == code && reply.pointer == "/current")
    }
}
