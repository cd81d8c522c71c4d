import Glibc
import PlaybackTesting
import RemoteControl
import Testing

@testable import HTTPServer

/// Checks that the server refuses malformed HTTP/1.1 before it calls a handler, and closes the connection. So no later bytes can be read as a second
/// request.
@Suite struct RefusalTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: String
        let status: Int
        var testDescription: String { name }

        init(_ name: String, _ bytes: String, _ status: Int = 400) {
            self.name = name
            self.bytes = bytes
            self.status = status
        }
    }

    /// With a problem document of the program.
    static let refused: [Shape] = [
        Shape("two Host lines", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
        Shape("two equal Host lines", "GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n"),
        Shape("an encoded NUL in the path", "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("an encoded NUL in the query", "GET /a?b=%00 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a percent sign alone", "GET /100% HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a percent sign without digits", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n"),
        Shape("a name that is no token", "GET / HTTP/1.1\r\nHost: a\r\nX(Y): b\r\n\r\n"),
        Shape("the absolute form", "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        Shape("the asterisk form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a target without slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a target beyond ASCII", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a control character in the target", "GET /a\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("an expectation unknown", "POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\n", 417),
        Shape("more fields than allowed", "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a:\r\n", count: 100) + "\r\n", 431),
        Shape("a head of more than 16 KiB", "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 16 << 10) + "\r\n\r\n", 431),
        Shape("a target of more than 8 KiB", "GET /" + String(repeating: "x", count: 8 << 10) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ]

    /// Perhaps by libmicrohttpd: with a line of HTML, or without an answer.
    static let unread: [Shape] = [
        Shape("no Host", "GET / HTTP/1.1\r\n\r\n"),
        Shape(
            "Content-Length with Transfer-Encoding",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Shape(
            "Transfer-Encoding with Content-Length",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
        Shape("two Content-Length lines", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        Shape("two lengths in one line", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 2\r\n\r\nab"),
        Shape("white space behind a length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 \r\nX: y\r\n\r\na"),
        Shape("white space behind a length at the end", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\t\r\n\r\na"),
        Shape("a signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na"),
        Shape("a coding other than chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        Shape("a coding before chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        Shape("chunked in disguise", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        Shape("chunked twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Shape("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Shape("a NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a NUL after the method", "GET\0 / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
        Shape("a NUL in the Host", "GET / HTTP/1.1\r\nHost: localhost\0.evil.example\r\n\r\n"),
        Shape("a carriage return in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"),
        Shape("a line that ends in a bare line feed", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
        Shape("a folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
        Shape("a folded name", "GET / HTTP/1.1\r\nHo: a\r\n st\r\n\r\n"),
        Shape("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
        Shape("an empty name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
        Shape("a line without colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
        Shape("a first line without colon", "GET / HTTP/1.1\r\nnonsense\r\n\r\n"),
        Shape("the authority form", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        Shape("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a space for a line feed", "GET  / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
        Shape("a space for the line feed of the request line", "GET /  HTTP/1.1\nHost: a\r\n\r\n"),
        Shape("a request line that ends in a bare line feed", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        Shape("a head that ends in a bare line feed", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        Shape("a tab in the request line", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a vertical tab in the target", "GET /\u{B} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("white space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        Shape("a space before the method", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a method that is no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Shape("a version that is none", "GET / HTTP/x.1\r\nHost: a\r\n\r\n"),
        Shape("no version", "GET /\r\nHost: a\r\n\r\n"),
        Shape(
            "a head of more than the library takes", "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 80 << 10) + "\r\n\r\n", 431),
        Shape("a length beyond 64 bits", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        Shape("another major version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        Shape("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ]

    /// Sends a malformed request, and returns all that the server sends until it ends the connection.
    private func answer(to shape: Shape) throws -> String {
        let requests = Occasion()
        let server = try RunningServer(ScriptedHandler.counting(requests))
        let client = try server.client()
        // The text after the malformed request must not be read as a second request, however the malformed one was parsed.
        try sendMore(shape.bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", client)
        let text = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(requests.count == 0)
        return text
    }

    @Test("a malformed request is refused by a problem document, and nothing after it is read", arguments: refused)
    func malformed(_ shape: Shape) throws {
        let text = try answer(to: shape)
        #expect(text.hasPrefix("HTTP/1.1 \(shape.status) "))
        #expect(text.contains("Content-Type: application/problem+json\r\n") && text.contains("\"status\":\(shape.status),"))
        #expect(text.matches(of: /HTTP\/1\.[01] \d/).count == 1)
    }

    @Test("a request that libmicrohttpd may refuse ends the connection, and nothing after it is read", arguments: unread)
    func ended(_ shape: Shape) throws {
        let text = try answer(to: shape)
        // To an invalid length libmicrohttpd sends the head of its answer twice.
        #expect(text.matches(of: /HTTP\/1\.[01] (\d+)/).allSatisfy { $0.1 == "\(shape.status)" })
    }

    /// Sends a request that is larger than the server accepts. The server may close the connection before it has read the whole request; the client
    /// can still read the response that the server has sent before.
    private func sendMore(_ request: String, _ client: TestClient) throws {
        do { try client.send(request) } catch TestClient.Failure.notSent(errno: EPIPE) {}
    }

    @Test("a target of any length is refused", arguments: [9 << 10, 30 << 10, 32 << 10, 33 << 10, 200 << 10, 4 << 20])
    func target(length: Int) throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try sendMore("GET /" + String(repeating: "x", count: length) + " HTTP/1.1\r\nHost: a\r\n\r\n", client)
        let response = try client.response()
        // If the target exceeds the memory for a connection, libmicrohttpd reports either a long request line (414) or a long head (431).
        #expect([414, 431].contains(response.status))
    }

    @Test("a head of any length is refused", arguments: [17 << 10, 28 << 10, 31 << 10, 32 << 10, 33 << 10, 200 << 10, 4 << 20])
    func head(length: Int) throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try sendMore("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: length) + "\r\n\r\n", client)
        let response = try client.response()
        #expect(response.status == 431)
    }

    @Test("a head that nearly uses up the memory for a connection is refused with an answer")
    func nearlyFull() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let many = (0..<90).map { "X\($0): y\r\n" }.joined()
        for (fields, lengths) in [("", 31_900...32_800), (many, 25_500...26_500)] {
            for length in stride(from: lengths.lowerBound, through: lengths.upperBound, by: 50) {
                let client = try server.client()
                try sendMore("GET / HTTP/1.1\r\nHost: a\r\n\(fields)X: " + String(repeating: "x", count: length) + "\r\n\r\n", client)
                #expect(try client.response().status == 431, "\(length)")
            }
        }
    }

    @Test("any number of cookies gets an answer")
    func cookies() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        var statuses: Set<Int> = []
        for count in 390...440 {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1" + String(repeating: "; a=1", count: count - 1) + "\r\n\r\n")
            statuses.insert(try client.response().status)
        }
        #expect(statuses == [200, 431])
    }

    @Test("a query with any number of parameters is read", arguments: ["a&", "a=1&"])
    func parameters(_ parameter: String) throws {
        let server = try RunningServer(ScriptedHandler.echo)
        for count in [100, 300, 1500] {
            let query = String(repeating: parameter, count: count)
            for padding in [0, 2000, 4000, 6000] {
                let client = try server.client()
                try client.send("GET /?\(query) HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: padding) + "\r\n\r\n")
                let response = try client.response()
                #expect(response.status == 200, "\(count) \(padding)")
                #expect(response.text.hasPrefix("GET|/|\(query)|"))
            }
        }
    }

    @Test("a refused HEAD has no content")
    func refusedHead() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.send("HEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        let text = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("\r\n\r\n"))
        #expect(text.contains("Content-Type: application/problem+json\r\n"))
    }

    @Test("a refused client that stays connected does not keep its place among the connections")
    func place() throws {
        let server = try RunningServer(ScriptedHandler.echo) {
            $0.maximumConnectionsOfLoopback = 1
            $0.requestTimeout = 3
            $0.keepAliveTimeout = 3600
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        #expect(try client.response().status == 400)
        #expect(
            waitUntil {
                guard let other = try? server.client(), (try? other.get("/")) != nil else { return false }
                return (try? other.response().status) == 200
            })
        withExtendedLifetime(client) {}
    }

    @Test("a later request of a connection is refused alike")
    func later() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.get("/")
        #expect(try client.response().status == 200)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 400)
        #expect(response.header("Content-Type") == "application/problem+json")
        #expect(try client.readToEnd() == [])
    }

    @Test("a refusal is a problem document with a stable type (RFC 9457)")
    func problem() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        let response = try client.response()
        #expect(response.header("Content-Type") == "application/problem+json")
        #expect(response.header("Connection") == "close")
        #expect(
            response.text
                == #"{"type":"/problems/malformed-request","title":"The request is malformed","status":400,"#
                + #""detail":"The request has more than one Host field."}"#)
    }

    @Test(
        "an incomplete request ends with its connection",
        arguments: [
            "G", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
        ])
    func incomplete(_ bytes: String) throws {
        // If the end of the connection arrives together with the last bytes, libmicrohttpd sees only the bytes. A later sweep of the server's timer
        // then detects the end.
        let requests = Occasion()
        let server = try RunningServer(ScriptedHandler.counting(requests)) { $0.requestTimeout = 2 }
        let client = try server.client()
        try client.send(bytes)
        client.finishSending()
        #expect(try client.readToEnd() == [])
        #expect(requests.count == 0)
    }

    @Test("a client that has its response and disconnects receives no other one")
    func complete() throws {
        let server = try RunningServer(ScriptedHandler.echo)
        let client = try server.client()
        try client.get("/")
        #expect(try client.response().status == 200)
        client.finishSending()
        #expect(try client.readToEnd() == [])
    }

    @Test("the handler creates the body of a refusal")
    func problemHook() throws {
        struct Handler: HTTPHandler {
            func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission { .admitted(ScriptedRequest(request) { _, _ in nil }) }
            func response(refusing problem: Problem) -> HTTPResponse {
                HTTPResponse(status: problem.code.status, headers: [("X-Code", problem.code.name)], body: Array("mine".utf8))
            }
        }
        let server = try RunningServer(Handler())
        let client = try server.client()
        try client.get("http://localhost/")
        let response = try client.response()
        #expect(response.status == 400)
        #expect(response.header("X-Code") == "malformed-request")
        #expect(response.text == "mine")
    }

    @Test("a client that keeps sending after a refusal still receives it")
    func refusalReachesAWritingClient() throws {
        let server = try RunningServer(ScriptedHandler.echo) { $0.farewellTimeout = 60 }
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10485760\r\n\r\n")
        // The client sends ten megabytes although its request was refused. The server must not reset the connection before the client has read the
        // response.
        let block = Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<10 { try client.send(block) }
        #expect(try client.response().status == 413)
    }
}
