import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Pages of the queue, and their compressed form.
@MainActor @Suite struct QueuePageTests {
    private let rig: TestRig

    init() throws {
        rig = try TestRig {
            // The compressed form of a document is its first hundred bytes.
            $0.compress = { Array($0.prefix(100)) }
        }
    }

    private func fill(_ count: Int, start: Int = 0) async throws {
        let specs = (0..<count).map { EntrySpec(source: MediaSource(.remote(url: "http://a/\($0)")), url: "http://a/\($0)") }
        _ = try await rig.player.perform(.setQueue(specs, start: QueueStart(index: start), play: nil), origin: "test")
    }
    private func ids(_ reply: Reply) -> [String] { reply.json?["entries"]?.elements.compactMap { $0["id"]?.text } ?? [] }

    @Test(
        "a page has the entries at its indices, and the count of all",
        arguments: [
            ("offset=3&limit=2", 3, ["e4", "e5"]), ("limit=1", 0, ["e1"]), ("offset=8", 8, ["e9", "e10"]), ("offset=9&limit=5", 9, ["e10"]),
            ("offset=10", 10, []), ("offset=10000&limit=1000", 10, []), ("around=current&limit=3", 5, ["e6", "e7", "e8"]),
            ("order=playback&limit=2", 0, ["e10", "e9"]), ("around=current&offset=9&limit=1", 6, ["e7"]),
        ])
    func pages(_ query: String, _ offset: Double, _ expected: [String]) async throws {
        try await fill(10, start: 6)
        let reply = await rig.send("GET", "/api/v1/queue?" + query)
        #expect(ids(reply) == expected)
        #expect(reply.json?["offset"]?.double == offset && reply.json?["count"]?.double == 10 && reply.json?["currentId"]?.text == "e7")
    }

    @Test("a page around the current entry stays within the queue", arguments: [(0, 0), (1, 0), (8, 6), (9, 6)])
    func edges(current: Int, offset: Double) async throws {
        try await fill(10, start: current)
        let reply = await rig.send("GET", "/api/v1/queue?around=current&limit=4")
        #expect(reply.json?["offset"]?.double == offset && ids(reply).count == 4)
    }

    @Test("a page describes its entries alone, and the latest of the history")
    func cost() async throws {
        try await fill(5000)
        rig.player.history = (0..<1000).map { "e\($0)" }
        let before = rig.player.describedCount
        let reply = await rig.send("GET", "/api/v1/queue?offset=2000&limit=50")
        #expect(rig.player.describedCount - before == 50)
        let addition = await rig.send("POST", "/api/v1/queue", json: #"{"entries":[{"url":"http://a/x"},{"url":"http://a/y"}],"after":"e2000"}"#)
        #expect(rig.player.describedCount - before == 52 && addition.json?["offset"]?.double == 2000 && ids(addition) == ["e5001", "e5002"])
        // The tag of an edit costs no document either, and guards the next edit.
        #expect(addition.header("ETag") == "\"queue:e0:2.2\"")
        #expect(reply.json?["history"]?.elements.count == 50 && reply.json?["history"]?[49]?.text == "e999")
    }

    @Test("the tag of a page guards an edit of the whole queue, and is current while the page is unchanged")
    func tags() async throws {
        try await fill(10)
        let first = try #require(await rig.send("GET", "/api/v1/queue?limit=2").header("ETag"))
        #expect(await rig.send("GET", "/api/v1/queue?limit=2", headers: [("If-None-Match", first)]).status == 304)
        #expect(await rig.send("DELETE", "/api/v1/queue/e9", headers: [("If-Match", first)]).status == 204)
        #expect(await rig.send("GET", "/api/v1/queue?limit=2", headers: [("If-None-Match", first)]).status == 200)
        #expect(await rig.send("DELETE", "/api/v1/queue/e8", headers: [("If-Match", first)]).status == 412)
    }

    @Test(
        "invalid parameters are refused by name",
        arguments: [
            ("limit=0", "limit"), ("limit=1001", "limit"), ("offset=-1", "offset"), ("offset=1.5", "offset"), ("around=e1", "around"),
            ("order=random", "order"), ("around=", "around"),
        ])
    func invalid(_ query: String, _ name: String) async throws {
        let reply = await rig.send("GET", "/api/v1/queue?" + query)
        #expect(reply.status == 400 && reply.json?["parameter"]?.text == name)
    }

    @Test("pages that are requested at once are each answered with their own entries")
    func concurrent() async throws {
        try await fill(100)
        let rig = rig
        let readers = (0..<100).map { number in Task { @MainActor in await rig.send("GET", "/api/v1/queue?offset=\(number)&limit=1") } }
        for (number, reader) in readers.enumerated() { #expect(ids(await reader.value) == ["e\(number + 1)"]) }
    }

    // MARK: Compression

    @Test("a document of at least 1 KiB is compressed for clients that accept it, with a tag of its own")
    func compressed() async throws {
        try await fill(100)
        let plain = await rig.send("GET", "/api/v1/queue?limit=50")
        #expect(plain.header("Content-Encoding") == nil && plain.header("Vary") == "Accept-Encoding")
        let accepting = [("Accept-Encoding", "gzip, br")]
        let packed = Reply(await rig.respond(to: TestRig.request("GET", "/api/v1/queue?limit=50", headers: accepting)))
        #expect(packed.header("Content-Encoding") == "gzip" && packed.body == Array(plain.body.prefix(100)))
        let tag = try #require(packed.header("ETag"))
        #expect(tag != plain.header("ETag") && tag == plain.header("ETag").map(EntityTag.compressed))
        let known = await rig.send("GET", "/api/v1/queue?limit=50", headers: accepting + [("If-None-Match", tag)])
        #expect(known.status == 304 && known.header("ETag") == tag && known.header("Vary") == "Accept-Encoding")
        #expect(await rig.send("DELETE", "/api/v1/queue/e9", headers: [("If-Match", tag)]).status == 204)
    }

    @Test("a small document, one of more than 1 MiB, a problem and the answer to a change are not compressed")
    func uncompressed() async throws {
        let accepting = [("Accept-Encoding", "gzip")]
        try await fill(2)
        #expect(await rig.send("GET", "/api/v1/queue?limit=1", headers: accepting).header("Content-Encoding") == nil)
        #expect(await rig.send("GET", "/api/v1/queue?limit=0", headers: accepting).header("Content-Encoding") == nil)
        try await fill(10_000)
        let whole = await rig.send("GET", "/api/v1/queue", headers: accepting)
        #expect(whole.body.count > ResponseCompression.sizes.upperBound && whole.header("Content-Encoding") == nil)
    }

    @Test("a page without a limit has at most 10,000 entries, and an offset reaches the others")
    func great() async throws {
        try await fill(10_050)
        let first = await rig.send("GET", "/api/v1/queue"), second = await rig.send("GET", "/api/v1/queue?offset=10000")
        #expect(first.json?["count"]?.double == 10_050 && first.json?["entries"]?.elements.count == 10_000)
        #expect(second.json?["offset"]?.double == 10_000 && second.json?["entries"]?.elements.count == 50)
    }
}
