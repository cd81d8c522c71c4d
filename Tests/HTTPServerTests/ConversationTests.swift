import HTTPServer
import PlaybackTesting
import RemoteControl
import Synchronization
import Testing

/// Checks that valid requests reach the handler unchanged, and that the handler's responses reach the client.
@Suite struct ConversationTests {
    private func exchange(_ request: String, isHead: Bool = false) throws -> TestClient.Response {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.send(request)
        return try client.response(isHead: isHead)
    }

    @Test("path and query reach the handler undecoded")
    func rawTarget() throws {
        let response = try exchange("GET /a%20b/%2e%2E?q=1+2&q=%26&&x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response.text == "GET|/a%20b/%2e%2E|q=1+2&q=%26&&x||0|")
    }

    @Test("header fields reach the handler in order, including repeated ones, without surrounding white space")
    func fields() throws {
        let response = try exchange("GET / HTTP/1.1\r\nHost: a\r\nX-One:  a b\t \r\nx-two:\r\nX-One: c\r\n\r\n")
        #expect(response.text == "GET|/|-|X-One=a b;x-two=;X-One=c;|0|")
    }

    @Test("a field's value is decoded as ISO 8859-1, so that it contains no combining mark; a client's name is UTF-8")
    func foreignBytes() throws {
        let response = try exchange("GET / HTTP/1.1\r\nHost: a\r\nCookie: a\u{301}\r\nTonearm-Client: K\u{FC}che\r\n\r\n")
        #expect(response.text == "GET|/|-|Cookie=a\u{CC}\u{81};Tonearm-Client=K\u{FC}che;|0|")
    }

    @Test("an unknown method reaches the handler, which decides on it")
    func unknownMethod() throws { #expect(try exchange("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n").text == "BREW|/pot|-||0|") }

    @Test("a request of HTTP/1.0 is answered and its connection closed")
    func http10() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(try client.response().text == "GET|/|-||0|")
        #expect(try client.readToEnd() == [])
    }

    @Test("a connection serves one request after another")
    func keepAlive() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        for number in 0..<20 {
            try client.get("/\(number)")
            #expect(try client.response().text == "GET|/\(number)|-||0|")
        }
    }

    @Test("pipelined requests are answered in order")
    func pipelining() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.send(
            (0..<10).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n0\($0)GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for number in 0..<10 {
            #expect(try client.response().text == "POST|/\(number)|-|Content-Length=2;|2|0\(number)")
            #expect(try client.response().text == "GET|/\(number)|-||0|")
        }
    }

    @Test("a request that arrives byte by byte is parsed")
    func byteByByte() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        for byte in "POST /slow?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8 { try client.send([byte]) }
        #expect(try client.response().text == "POST|/slow|a=b|Content-Length=3;|3|abc")
    }

    @Test("HEAD returns the head of GET with the length of its body, and no body")
    func head() throws {
        let server = try RunningServer(ScriptedHandler { _, _ in HTTPResponse(status: 200, headers: [("ETag", "\"1\"")], body: Array("12345".utf8)) })
        let client = try server.client()
        try client.get("/", method: "HEAD")
        let response = try client.response(isHead: true)
        #expect(response.header("Content-Length") == "5")
        #expect(response.header("ETag") == "\"1\"")
        // The response to HEAD has no body. So the response to the next request begins directly after its head.
        try client.get("/")
        #expect(try client.response().text == "12345")
    }

    @Test("204 and 304 have no body, and the connection stays open", arguments: [204, 304])
    func withoutBody(_ status: Int) throws {
        let server = try RunningServer(ScriptedHandler { _, _ in HTTPResponse(status: status, headers: [("ETag", "\"1\"")]) })
        let client = try server.client()
        for _ in 0..<2 {
            try client.get("/")
            let response = try client.response()
            #expect(response.status == status)
            #expect(response.header("ETag") == "\"1\"")
        }
    }

    @Test("a head of 16 KiB is accepted, in few long fields or many short ones", arguments: [1, 8, 90])
    func largeHead(fields count: Int) throws {
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        let size = (16 << 10) - start.utf8.count - 2
        var fields = (0..<count).map { "x\($0): " + String(repeating: "v", count: size / count - 20) + "\r\n" }.joined()
        fields += "y: " + String(repeating: "w", count: size - fields.utf8.count - 5) + "\r\n"
        let request = start + fields + "\r\n"
        #expect(request.utf8.count == 16 << 10)
        let received = Mutex(0)
        let server = try RunningServer(
            ScriptedHandler { request, _ in
                received.withLock { $0 = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }
                return HTTPResponse(status: 204)
            })
        let client = try server.client()
        try client.send(request)
        #expect(try client.response().status == 204)
        #expect(received.withLock { $0 } == request.utf8.count - "GET / HTTP/1.1\r\n\r\n".utf8.count)
    }

    @Test("a response of several megabytes arrives complete")
    func largeAnswer() throws {
        let body = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try RunningServer(ScriptedHandler { _, _ in HTTPResponse(status: 200, headers: [], body: body) })
        let client = try server.client(receiveBuffer: 16 << 10)
        try client.get("/")
        #expect(try client.response().body == body)
    }

    @Test("a header of the handler cannot split the response")
    func headerInjection() throws {
        let server = try RunningServer(
            ScriptedHandler { _, _ in
                HTTPResponse(status: 200, headers: [("X-Bad", "a\r\nSet-Cookie: b"), ("Content-Length", "999"), ("X-Good", "c")], body: [0x31])
            })
        let client = try server.client()
        try client.get("/")
        let response = try client.response()
        #expect(response.header("Set-Cookie") == nil)
        #expect(response.header("X-Good") == "c")
        #expect(response.text == "1")
    }

    @Test("the request has the peer's address")
    func peer() throws {
        let server = try RunningServer(
            ScriptedHandler { request, _ in HTTPResponse(status: 200, body: Array("\(request.peer.address) \(request.peer.isLoopback)".utf8)) })
        let client = try server.client()
        try client.get("/")
        #expect(try client.response().text == "127.0.0.1 true")
    }
}
