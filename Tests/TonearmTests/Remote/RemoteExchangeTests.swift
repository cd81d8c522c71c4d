import PlaybackTesting
import Testing

@testable import tonearm

@Suite("The HTTP of the terminal's remote")
struct RemoteExchangeTests {
    private func response(_ server: MediaServer, _ request: RemoteRequest = RemoteRequest("GET", "/x"), receive: RemoteExchange.Receiver? = nil)
        throws -> RemoteResponse
    {
        let address = try #require(RemoteAddress("http://127.0.0.1:\(server.port)/tonearm"))
        return try RemoteExchange.response(to: request, at: address, token: "secret", maximumBodySize: 1000, receive: receive)
    }
    private func failure(_ text: String) throws -> RemoteFailure? {
        let server = try MediaServer { _ in .raw(text) }
        defer { server.stop() }
        return #expect(throws: RemoteFailure.self) { try response(server) }
    }

    @Test("a request names the token, the precondition and the length of its body, below the path of a proxy")
    func request() throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 204 No Content\r\n\r\n") }
        defer { server.stop() }
        #expect(try response(server, RemoteRequest("PATCH", "/api", "{\"é\":1}", match: "\"a:1\"")) == RemoteResponse(status: 204))
        let request = try #require(server.requests.first)
        #expect(request.target == "/tonearm/api")
        #expect(request.fields["authorization"] == "Bearer secret" && request.fields["if-match"] == "\"a:1\"")
        #expect(request.fields["content-length"] == "8" && request.fields["content-type"] == "application/json")
        #expect(request.fields["connection"] == "close" && request.fields["tonearm-client"] == "terminal")
    }

    @Test("a response is returned whatever its status, and however its end is marked")
    func responses() throws {
        for head in ["HTTP/1.1 412 X\r\nETag: \"e:1\"\r\ncontent-length: 5\r\n", "HTTP/1.1 412\r\netag:\"e:1\"\r\n"] {
            let server = try MediaServer { _ in .raw("HTTP/1.1 103 Early Hints\r\n\r\n\(head)\r\nhello") }
            defer { server.stop() }
            #expect(try response(server) == RemoteResponse(status: 412, entityTag: "\"e:1\"", body: Array("hello".utf8)))
        }
        let server = try MediaServer { _ in .chunked(Array("hello".utf8), size: 2) }
        defer { server.stop() }
        #expect(try response(server).body == Array("hello".utf8))
    }

    @Test("a receiver gets the body of a response with status 200 only, without a limit, and its error ends the exchange")
    func receiver() throws {
        let server = try MediaServer { _ in .bytes([UInt8](repeating: 1, count: 5000), ranges: false) }
        defer { server.stop() }
        var count = 0
        let whole = try response(server) { count += $0.count }
        #expect(whole.body.isEmpty && count == 5000)
        let error = RemoteFailure(.refused, "the output is closed")
        #expect(throws: error) { try response(server) { (_) throws(RemoteFailure) in throw error } }
        let refusing = try MediaServer { _ in .raw("HTTP/1.1 503 X\r\n\r\nno") }
        defer { refusing.stop() }
        let refusal = try response(refusing) { count += $0.count }
        #expect(refusal == RemoteResponse(status: 503, body: Array("no".utf8)) && count == 5000)
    }

    @Test("what is not HTTP, and a body beyond its limit, are refused")
    func refused() throws {
        let text = try failure("SSH-2.0-OpenSSH_9.2\r\n\r\n")
        #expect(text?.kind == .refused && text?.description.contains("does not speak HTTP") == true)
        let endless = try failure("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1001))
        #expect(endless?.kind == .refused && endless?.description.contains("larger than 1000") == true)
    }

    @Test("an early end of the connection is no response, and a port without a listener no daemon")
    func early() throws {
        #expect(try failure("")?.kind == .unreachable)
        #expect(try failure("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx")?.kind == .unreachable)
        let address = try #require(RemoteAddress("127.0.0.1:1"))
        let nobody = #expect(throws: RemoteFailure.self) {
            try RemoteExchange.response(to: RemoteRequest("GET", "/x"), at: address, token: nil)
        }
        #expect(nobody?.kind == .unreachable && nobody?.description.contains("tonearm serve") == true)
    }

    @Test("a problem document gives its sentence, and a missing token the option that helps")
    func problems() {
        let body = Array("{\"title\":\"T\",\"detail\":\"Load an item first.\",\"status\":409}".utf8)
        #expect(RemoteFailure(RemoteResponse(status: 409, body: body), at: .standard).description == "Load an item first.")
        #expect(RemoteFailure(RemoteResponse(status: 401, body: body), at: .standard).description.contains("--token-file"))
        #expect(RemoteFailure(RemoteResponse(status: 502, body: [0x3C]), at: .standard).description.contains("status 502"))
    }
}
