import Glibc
import HTTPServer
import PlaybackTesting
import RemoteControl
import Synchronization
import Testing

/// Checks that the server collects the body of a request up to a limit, and refuses a larger body without reading it.
@Suite struct BodyTests {
    private static func lengthHandler(
        received: MemoryBudget = MemoryBudget(total: 16 << 20, share: 4 << 20),
        refuse: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse? = { _, _ in nil }
    ) -> ScriptedHandler {
        ScriptedHandler(refuse: refuse, received: received) { request, _ in
            HTTPResponse(status: 200, body: Array("\(request.body.count) \(request.body.reduce(0) { ($0 &* 31) &+ Int($1) })".utf8))
        }
    }

    @Test("a body arrives complete, whatever its segments")
    func complete() throws {
        let server = try RunningServer(Self.lengthHandler())
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let expected = "100000 \(body.reduce(0) { ($0 &* 31) &+ Int($1) })"
        let client = try server.client()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        try client.send(body)
        #expect(try client.response().text == expected)

        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        var start = 0
        for size in [1, 15, 16, 4096, 60000, 35872] {
            try client.send(Array(body[start..<(start + size)]))
            start += size
        }
        #expect(try client.response().text == expected)
    }

    @Test("an empty body is accepted")
    func empty() throws {
        let server = try RunningServer(Self.lengthHandler())
        let client = try server.client()
        for _ in 0..<2 {
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(try client.response().text == "0 0")
        }
    }

    @Test("a body of exactly the limit is accepted, and one byte more is refused before it is sent")
    func limit() throws {
        let server = try RunningServer(Self.lengthHandler()) { $0.maximumBodySize = 1000 }
        let client = try server.client()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000))
        #expect(try client.response().status == 200)
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 413)
        #expect(response.text.contains("/problems/body-too-large"))
        #expect(try client.readToEnd() == [])
    }

    @Test(
        "a chunked body is refused before it is read, because libmicrohttpd parses chunks differently from others",
        arguments: ["2\r\n{}\r\n0\r\n\r\n", "2;a=b\r\n{}\r\n0\r\nTrailer: c\r\n\r\n", "2\n{}\n0\n\n", "-1\r\n", "fffffffffffffffff\r\n", ""])
    func chunks(_ chunks: String) throws {
        let requests = Occasion()
        let server = try RunningServer(ScriptedHandler.counting(requests))
        let client = try server.client()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n" + chunks)
        let response = try client.response()
        #expect(response.status == 411)
        #expect(response.header("Connection") == "close")
        #expect(response.text.contains("/problems/length-required"))
        #expect(try client.readToEnd() == [])
        #expect(requests.count == 0)
    }

    @Test("the handler can refuse a body before it is sent, and admits each request once")
    func admission() throws {
        let announced = Mutex<[Int]>([])
        let server = try RunningServer(
            Self.lengthHandler { request, length in
                announced.withLock { $0.append(length) }
                return request.header("content-type") == "application/json" ? nil : HTTPResponse(status: 415, headers: [("X", "y")], body: [0x31])
            })
        let client = try server.client()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        #expect(try client.response().status == 200)
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 500\r\n\r\n")
        let refused = try client.response()
        #expect(refused.status == 415)
        #expect(refused.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        #expect(announced.withLock { $0 } == [2, 500])
    }

    @Test("a request without body is admitted once, with a length of 0, and its refusal does not close the connection")
    func admissionWithoutBody() throws {
        let announced = Mutex<[Int]>([])
        let server = try RunningServer(
            Self.lengthHandler { request, length in
                announced.withLock { $0.append(length) }
                return request.path == "/refused" ? HTTPResponse(status: 400) : nil
            })
        let client = try server.client()
        try client.get("/refused")
        #expect(try client.response().status == 400)
        try client.get("/")
        #expect(try client.response().status == 200)
        #expect(announced.withLock { $0 } == [0, 0])
    }

    @Test("a client that expects 100-continue receives it if its body is accepted, and the refusal if not")
    func expectContinue() throws {
        let server = try RunningServer(Self.lengthHandler { _, length in length == 4 ? nil : HTTPResponse(status: 403) })
        let client = try server.client()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n")
        #expect(try client.head().status == 100)
        try client.send("abcd")
        #expect(try client.response().text.hasPrefix("4 "))
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.response().status == 403)
        #expect(try client.readToEnd() == [])
    }

    @Test("a client that disconnects within its body is removed")
    func abandonedBody() throws {
        let server = try RunningServer(Self.lengthHandler()) {
            $0.maximumConnections = 1
            $0.requestTimeout = 1
        }
        let first = try server.client()
        try first.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        first.close()
        // The server allows only one connection. So the next connection is served only after the first has ended.
        #expect(try firstAnswer(of: server) == "0 0")
    }

    @Test("a body beyond the memory for all bodies is refused before it is sent, with a time for a retry")
    func budget() throws {
        let server = try RunningServer(Self.lengthHandler(received: MemoryBudget(total: 10_000, share: 10_000)))
        // A body that was announced and has not arrived counts as 4,096 bytes of the budget.
        let slow = try server.client()
        try slow.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9000\r\n\r\n")
        #expect(try slow.head().status == 100)
        let small = try server.client()
        try small.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
        #expect(try small.response().status == 200)
        let large = try server.client()
        try large.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 6000\r\n\r\n")
        try large.expectServerBusy()
        #expect(try large.readToEnd() == [])
        // The memory of a body is free again after the response to its request.
        try slow.send(Array(repeating: UInt8(ascii: "x"), count: 9000))
        #expect(try slow.response().text.hasPrefix("9000 "))
        let next = try server.client()
        try next.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" + String(repeating: "x", count: 9000))
        #expect(try next.response().status == 200)
    }

    @Test("if several bodies together exceed the memory, one is refused while it is received")
    func budgetOfSeveral() throws {
        let budget = MemoryBudget(total: 15_000, share: 15_000)
        let server = try RunningServer(Self.lengthHandler(received: budget))
        let clients = try (0..<2).map { _ in try server.client() }
        for client in clients {
            // Both bodies (10,000 bytes each) are admitted, because an announced body counts only 4,096 bytes until its bytes arrive.
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10000\r\n\r\n")
            #expect(try client.head().status == 100)
        }
        try clients[0].send(Array(repeating: UInt8(ascii: "x"), count: 9999))
        // The second client continues only after all bytes of the first client's body are counted.
        #expect(waitUntil { budget.used >= 9999 + 4096 })
        try clients[1].send(Array(repeating: UInt8(ascii: "x"), count: 9999))
        #expect(try clients[1].response().status == 503)
        try clients[0].send("x")
        #expect(try clients[0].response().status == 200)
    }

    @Test("a client has a limited share of the memory for bodies")
    func budgetShare() throws {
        let server = try RunningServer(Self.lengthHandler(received: MemoryBudget(total: 100_000, share: 5000)))
        let slow = try server.client()
        try slow.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4096\r\n\r\n")
        #expect(try slow.head().status == 100)
        let second = try server.client()
        try second.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        #expect(try second.response().status == 503)
        let other = try TestClient(port: server.server.port, from: "127.0.0.2")
        try other.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000))
        #expect(try other.response().status == 200)
    }

    @Test("the memory of a body is held as long as its handler has the request")
    func budgetWhileThinking() throws {
        let completion = Mutex<ScriptedHandler.Completion?>(nil)
        let asked = Occasion()
        let server = try RunningServer(
            ScriptedHandler(received: MemoryBudget(total: 10_000, share: 10_000)) { request, done in
                guard request.path == "/slow" else { return HTTPResponse(status: 200) }
                completion.withLock { $0 = done }
                asked.happen()
                return nil
            })
        let slow = try server.client()
        try slow.send("PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" + String(repeating: "x", count: 9000))
        #expect(asked.wait())
        let other = try server.client()
        try other.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n")
        #expect(try other.response().status == 503)
        completion.withLock { $0 }?(HTTPResponse(status: 200))
        #expect(try slow.response().status == 200)
        let next = try server.client()
        try next.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 2000))
        #expect(try next.response().status == 200)
    }

    /// Sends requests, each on a new connection, until the server responds to one. Returns the text of that response.
    private func firstAnswer(of server: RunningServer) throws -> String {
        for _ in 0..<100_000 {
            let client = try server.client()
            guard (try? client.get("/")) != nil, let response = try? client.response() else { continue }
            return response.text
        }
        return "never"
    }
}
