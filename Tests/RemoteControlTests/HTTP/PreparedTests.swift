import Playlist
import Testing

@testable import RemoteControl

/// Tests of prepared responses with the player's state. A prepared response must be equal to the response of `respond`; otherwise there must be none.
@MainActor @Suite struct PreparedTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    /// Lets `respond` handle a request once. Returns the prepared response to the same request; nil if there is none.
    private func prepared(_ method: String = "GET", _ path: String = "/api/v1/player", query: String? = nil, fields: [(String, String)]) async
        -> PreparedResponse?
    {
        _ = await rig.respond(
            to: HTTPRequest(method: method, path: path, query: query, headers: fields.map { (name: $0.0, value: $0.1) }))
        return bytes(method, path, query: query, fields)
    }

    private func bytes(_ method: String, _ path: String, query: String? = nil, _ fields: [(String, String)]) -> PreparedResponse? {
        Self.prepared(rig.api, method, path, query: query, fields)
    }

    /// Returns the prepared response to a request; nil if there is none. As in the server, the bytes of the request are freed after the call.
    static func prepared(
        _ api: RemoteAPI, _ method: String, _ path: String, query: String? = nil, _ fields: [(String, String)], peer: HTTPPeer = .loopback
    ) -> PreparedResponse? {
        var storage: [[UInt8]] = [Array(method.utf8), Array(path.utf8), Array((query ?? "").utf8)]
        for (name, value) in fields { storage += [Array(name.utf8), Array(value.utf8)] }
        let copies = storage.map { bytes in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            copy.copyBytes(from: bytes)
            return UnsafeRawBufferPointer(copy)
        }
        defer { for copy in copies { copy.deallocate() } }
        let list = stride(from: 3, to: copies.count, by: 2).map { HTTPRequestHead.Field(name: copies[$0], value: copies[$0 + 1]) }
        return list.withUnsafeBufferPointer { list in
            api.prepared(
                for: HTTPRequestHead(method: copies[0], path: copies[1], query: query == nil ? nil : copies[2], fields: list, peer: peer))
        }
    }

    @Test("the state is prepared: equal to the answer of respond, and the same object until the state changes")
    func state() async throws {
        let fields = [("Host", "127.0.0.1:7711"), ("Accept", "*/*")]
        let first = try #require(await prepared(fields: fields))
        let reply = await rig.send("GET", "/api/v1/player")
        #expect(first.status == 200)
        #expect(first.body == reply.body)
        #expect(first.headers.elementsEqual(reply.headers, by: ==))
        #expect(await prepared(fields: fields) === first)
        rig.player.change { $0.volume = 0.5 }
        let second = try #require(await prepared(fields: fields))
        #expect(second !== first)
        #expect(second.body == rig.feed.snapshot.json)
    }

    @Test("304 is prepared only for exactly the state's tag")
    func notModified() async throws {
        let answer = await prepared(fields: [("host", "localhost"), ("IF-NONE-MATCH", "\"player:e0:1\"")])
        #expect(answer?.status == 304)
        #expect(answer?.body.isEmpty == true)
        for other in ["\"player:e0:2\"", "W/\"player:e0:1\"", "*", "\"player:e0:1\", \"x\""] {
            #expect(await prepared(fields: [("Host", "localhost"), ("If-None-Match", other)]) == nil)
        }
    }

    @Test("a request with duplicate fetch metadata has no prepared response", arguments: ["Sec-Fetch-Site", "Sec-Fetch-Mode"])
    func fetchMetadataTwice(_ name: String) async {
        #expect(await prepared(fields: [("Host", "localhost"), (name, "none")]) != nil)
        #expect(bytes("GET", "/api/v1/player", [("Host", "localhost"), (name, "none"), (name, "none")]) == nil)
    }

    @Test("a Host that respond has not accepted never receives a prepared response")
    func hosts() async {
        #expect(bytes("GET", "/api/v1/player", [("Host", "localhost")]) == nil)
        #expect(await prepared(fields: [("Host", "localhost")]) != nil)
        #expect(await prepared(fields: [("Host", "evil.example")]) == nil)
        #expect(bytes("GET", "/api/v1/player", [("Host", "LOCALHOST")]) == nil)
        #expect(bytes("GET", "/api/v1/player", []) == nil)
        for number in 1...10 { _ = await prepared(fields: [("Host", "10.0.0.\(number)")]) }
        #expect(bytes("GET", "/api/v1/player", [("Host", "localhost")]) == nil)
    }

    @Test("a request that needs any further check has no prepared response")
    func peculiar() async {
        let host = ("Host", "localhost")
        #expect(await prepared(fields: [host]) != nil)
        #expect(await prepared(fields: [host, ("Sec-Fetch-Site", "same-origin")]) != nil)
        for field in [
            ("Origin", "http://localhost"), ("Sec-Fetch-Site", "cross-site"), ("sec-fetch-site", "same-site"), ("Content-Type", "application/json"),
            ("Content-Length", "0"), ("Transfer-Encoding", "chunked"), ("host", "localhost"), ("Via", "1.1 proxy"), ("Forwarded", "for=192.0.2.60"),
            ("X-Forwarded-For", "192.0.2.60"), ("x-real-ip", "192.0.2.60"), ("X-Forwarded-Host", "music.example"),
        ] {
            #expect(await prepared(fields: [host, field]) == nil, "\(field)")
        }
        #expect(await prepared(fields: [host, ("If-None-Match", "\"player:e0:1\""), ("If-None-Match", "\"player:e0:1\"")]) == nil)
        #expect(await prepared("HEAD", fields: [host]) == nil)
        #expect(await prepared("PATCH", fields: [host]) == nil)
        #expect(await prepared("GET", "/api/v1/player", query: "wait=1", fields: [host]) == nil)
        #expect(await prepared("GET", "/api/v1/player", query: "", fields: [host]) == nil)
        #expect(await prepared("GET", "/api/v1/player/time", fields: [host]) == nil)
    }

    @Test("with allowed origins a prepared response has Vary: Origin")
    func vary() async throws {
        let rig = try TestRig { $0.requestGuard = RequestGuard(allowedOrigins: ["http://a"]) }
        #expect(rig.feed.snapshot.prepared.headers.contains { $0 == ("Vary", "Origin") })
        #expect(rig.feed.snapshot.preparedNotModified.headers.contains { $0 == ("Vary", "Origin") })
    }

    @Test("the server's own refusals become problems of the contract, with the security fields")
    func refusals() {
        for (status, code, wanted) in [
            (400, "bad-request", "malformed-request"), (413, "too-large", "body-too-large"), (431, "head-too-large", "head-too-large"),
            (411, "length-required", "length-required"), (505, "http-version-not-supported", "http-version-not-supported"),
        ] {
            let reply = Reply(rig.api.problem(for: HTTPRefusal(status: status, code: code, title: "t", detail: "d")))
            #expect(reply.status == status)
            #expect(reply.problem == wanted)
            #expect(reply.json?["detail"]?.text == "d")
            #expect(reply.header("X-Content-Type-Options") == "nosniff")
        }
    }
}
