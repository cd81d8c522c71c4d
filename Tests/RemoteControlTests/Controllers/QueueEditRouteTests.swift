import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// The edits of several entries, positions, and undo.
@MainActor @Suite struct QueueEditRouteTests {
    private let rig: TestRig
    private var last: PlayerCommand? { rig.player.performed.last?.command }

    init() throws { rig = try TestRig() }

    private func fill() async throws {
        _ = await rig.send("PUT", "/api/v1/queue", json: #"{"entries":[{"url":"http://a/1"},{"url":"http://a/2"},{"url":"http://a/3"}]}"#)
    }

    @Test(
        "a position is the end, after the current entry, next to a named one, or an index",
        arguments: [
            ("", .end), (#","position":"end""#, .end), (#","position":"next""#, .next), (#","before":"e1""#, .before("e1")),
            (#","after":"e1""#, .after("e1")), (#","index":2"#, .index(2)),
        ] as [(String, QueuePlace)])
    func positions(_ member: String, _ position: QueuePlace) async throws {
        try await fill()
        #expect(await rig.send("POST", "/api/v1/queue", json: #"{"entries":[{"url":"http://a/9"}]\#(member)}"#).status == 201)
        guard case .insert(_, at: position, play: false)? = last else { throw Unexpected() }
        let reply = await rig.send("POST", "/api/v1/queue/move", json: #"{"ids":["e2"],"order":"playback"\#(member)}"#)
        if member.isEmpty {
            #expect(reply.problem == "missing-member")
        } else {
            #expect(reply.status == 204 && last == .moveEntries(["e2"], to: position, order: .playback))
        }
    }
    struct Unexpected: Error {}

    @Test(
        "invalid positions and lists are refused with their pointers",
        arguments: [
            ("", #"{"entries":[],"after":"e1","index":1}"#, "invalid-value", "/index"),
            ("", #"{"entries":[],"position":"first"}"#, "invalid-value", "/position"), ("", #"{"entries":[],"index":-1}"#, "out-of-range", "/index"),
            ("/move", #"{"ids":["e1"],"before":"e2","position":"end"}"#, "invalid-value", "/before"),
            ("/move", #"{"ids":["e1"],"index":0,"order":"any"}"#, "invalid-value", "/order"),
            ("/remove", #"{"ids":[]}"#, "out-of-range", "/ids"), ("/remove", #"{"ids":["e1","e1"]}"#, "invalid-value", "/ids/1"),
            ("/remove", #"{"ids":["e1",2]}"#, "wrong-type", "/ids/1"), ("/remove", "{}", "missing-member", "/ids"),
            ("/remove", #"{"ids":"e1"}"#, "wrong-type", "/ids"), ("/undo", #"{"count":2}"#, "unknown-member", "/count"),
        ])
    func invalid(_ path: String, _ json: String, _ code: String, _ pointer: String) async throws {
        try await fill()
        let count = rig.player.performed.count
        let reply = await rig.send("POST", "/api/v1/queue" + path, json: json)
        #expect(reply.status == 400 && reply.problem == code && reply.pointer == pointer)
        #expect(rig.player.performed.count == count)
    }

    @Test("a list has at most 10,000 ids, each of at most 256 bytes")
    func limits() async throws {
        let ids = (0...QueueController.maximumRequestCount).map { "\"e\($0)\"" }.joined(separator: ",")
        #expect(await rig.send("POST", "/api/v1/queue/remove", json: "{\"ids\":[\(ids)]}").problem == "out-of-range")
        let long = String(repeating: "e", count: 257)
        #expect(await rig.send("POST", "/api/v1/queue/remove", json: "{\"ids\":[\"\(long)\"]}").problem == "out-of-range")
        let wide = String(repeating: "é", count: 129)
        #expect(await rig.send("POST", "/api/v1/queue/remove", json: "{\"ids\":[\"\(wide)\"]}").problem == "text-too-long")
    }

    @Test("edits of several entries reach the player, guarded by the queue's revision")
    func commands() async throws {
        try await fill()
        #expect(await rig.send("POST", "/api/v1/queue/remove", headers: [("If-Match", "\"queue:e0:0\"")], json: #"{"ids":["e1"]}"#).status == 412)
        #expect(await rig.send("POST", "/api/v1/queue/remove", json: #"{"ids":["e3","e1"]}"#).status == 204)
        #expect(last == .removeEntries(["e3", "e1"]))
        #expect(await rig.send("POST", "/api/v1/queue/clear-upcoming").status == 204)
        #expect(last == .removeUpcoming)
        #expect(await rig.send("POST", "/api/v1/queue/undo", headers: [("If-Match", "\"queue:e0:1\"")]).status == 412)
        let undone = await rig.send("POST", "/api/v1/queue/undo", headers: [("Tonearm-Client", "kitchen")], json: "{}")
        #expect(last == .undo && undone.text == #"{"kind":"move","count":3,"origin":"kitchen"}"#)
        #expect(await rig.send("POST", "/api/v1/queue/redo").status == 200)
        #expect(last == .redo)
        #expect(await rig.send("PATCH", "/api/v1/player", json: #"{"isConsuming":true}"#).json?["isConsuming"]?.bool == true)
    }

    @Test(
        "each refusal of the player has its own problem",
        arguments: [
            (.noEntryAt(index: 1), "remove", 404, "entry-not-found", "/ids/1"), (.noEntryAt(index: 0), "move", 404, "entry-not-found", "/ids/0"),
            (.noEntry, "move", 404, "entry-not-found", "/after"), (.nothingToUndo, "undo", 409, "nothing-to-undo", nil),
            (.nothingToRedo, "redo", 409, "nothing-to-redo", nil),
        ] as [(PlayerRefusal, String, Int, String, String?)])
    func refusals(_ refusal: PlayerRefusal, _ path: String, _ status: Int, _ code: String, _ pointer: String?) async throws {
        rig.player.refusal = refusal
        let bodies = ["remove": #"{"ids":["e1","e9"]}"#, "move": #"{"ids":["e1"],"after":"e9"}"#]
        let reply = await rig.send("POST", "/api/v1/queue/" + path, json: bodies[path])
        #expect(reply.status == status && reply.problem == code && reply.pointer == pointer)
    }

    @Test("PUT starts at an index and a position, and entries have positions of their own")
    func start() async throws {
        let items = #""entries":[{"url":"http://a/1","startTime":3},{"url":"http://a/2","startTime":4.5}]"#
        #expect(await rig.send("PUT", "/api/v1/queue", json: "{\(items),\"startIndex\":1,\"startTime\":83.5}").status == 200)
        guard case .setQueue(let specs, start: let start?, play: nil)? = last else { throw Unexpected() }
        #expect(start == QueueStart(index: 1, time: 83.5) && specs.map(\.startTime) == [3, 4.5])
        _ = await rig.send("PUT", "/api/v1/queue", json: "{\(items)}")
        guard case .setQueue(let others, start: nil, play: nil)? = last else { throw Unexpected() }
        #expect(others.map(\.startTime) == [3, 4.5])
        for (json, pointer) in [
            ("{\(items),\"startIndex\":2}", "/startIndex"), (#"{"entries":[],"startTime":1}"#, "/startTime"),
            (#"{"entries":[{"url":"http://a/1","startTime":-1}]}"#, "/entries/0/startTime"),
        ] {
            let reply = await rig.send("PUT", "/api/v1/queue", json: json)
            #expect(reply.problem == "out-of-range" && reply.pointer == pointer)
        }
        rig.player.refusal = .startOutside(index: 1, end: 10)
        let outside = await rig.send("PUT", "/api/v1/queue", json: "{\(items)}")
        #expect(outside.status == 422 && outside.problem == "seek-out-of-range" && outside.pointer == "/entries/1/startTime")
        #expect(outside.json?["end"]?.double == 10)
        rig.player.refusal = .startOutside(index: nil, end: 10)
        #expect(await rig.send("PUT", "/api/v1/queue", json: "{\(items),\"startTime\":11}").pointer == "/startTime")
    }

    // MARK: Events

    private func changes(_ changes: [QueueUpdate.Change]?) async throws -> JSONValue? {
        let client = try await rig.events()
        _ = client.read()
        rig.player.emit(
            .queueDidChange(
                QueueUpdate(
                    summary: QueueSummary(revision: 7, count: 9), previousRevision: 6, changes: changes, isPlaybackOrderChanged: true,
                    edits: RevertibleEdits(undo: QueueEdit(kind: .insert, count: 2, origin: "a"), redo: nil))))
        let event = client.read().first { $0.name == "queue" }
        #expect(Contract.shared.errors(event?.data ?? .null, Contract.shared.events?["queue"], at: "") == [])
        #expect(event?.data["previousRevision"]?.double == 6 && event?.data["isPlaybackOrderChanged"]?.bool == true)
        #expect(event?.data["undo"]?.serialized == #"{"kind":"insert","count":2,"origin":"a"}"#)
        return event?.data["changes"]
    }

    @Test("an event names its changes, with their entries if these fit into 8 KiB")
    func events() async throws {
        let item = PlayerState.Item(id: "e1", url: "http://a/1")
        let named = try await changes([.remove(index: 1, count: 2), .move(index: 4, count: 1, to: 0), .update(index: 3, count: 1, entries: [item])])
        #expect(named?[0]?.serialized == #"{"type":"remove","index":1,"count":2}"#)
        #expect(named?[1]?.serialized == #"{"type":"move","index":4,"count":1,"to":0}"#)
        #expect(named?[2]?["entries"]?[0]?["id"]?.text == "e1")
        let long = PlayerState.Item(id: "e1", url: "http://a/" + String(repeating: "x", count: 8200))
        #expect(try await changes([.insert(index: 0, count: 1, entries: [long])])?.serialized == #"[{"type":"insert","index":0,"count":1}]"#)
        // The client could not read the entry, because the removal gives it another index.
        #expect(try await changes([.insert(index: 1, count: 1, entries: [long]), .remove(index: 0, count: 1)]) == nil)
        #expect(try await changes(Array(repeating: .remove(index: 1, count: 1), count: 1000)) == nil)
        #expect(try await changes(nil) == nil)
    }
}
