import Glibc
import Platform
import Testing

@testable import tonearm

@Suite("The HTTP of the terminal's remote")
struct RemoteExchangeTests {
    private static let address = RemoteAddress.standard

    private func response(_ channel: ScriptedChannel, maximumBodySize: Int = 1000) throws(RemoteFailure) -> RemoteResponse {
        var exchange = RemoteExchange(over: channel, to: Self.address, maximumBodySize: maximumBodySize)
        return try exchange.response(to: RemoteRequest("GET", "/x"), token: nil)
    }
    private func failure(_ channel: ScriptedChannel, maximumBodySize: Int = 1000) -> RemoteFailure? {
        do throws(RemoteFailure) {
            _ = try response(channel, maximumBodySize: maximumBodySize)
            return nil
        } catch { return error }
    }

    @Test("a request names the host, the token, the precondition and the length of its body")
    func request() throws {
        let channel = ScriptedChannel("HTTP/1.1 204 No Content\r\n\r\n")
        let address = try #require(RemoteAddress("http://[::1]:81/tonearm"))
        var exchange = RemoteExchange(over: channel, to: address)
        _ = try exchange.response(to: RemoteRequest("POST", "/api", "{\"é\":1}", match: "\"a:1\""), token: "secret")
        let text = String(decoding: channel.written, as: UTF8.self)
        #expect(text.hasPrefix("POST /tonearm/api HTTP/1.1\r\nHost: [::1]:81\r\nConnection: close\r\n"))
        #expect(text.contains("\r\nAuthorization: Bearer secret\r\n"))
        #expect(text.contains("\r\nIf-Match: \"a:1\"\r\n"))
        #expect(text.hasSuffix("\r\nContent-Length: 8\r\n\r\n{\"é\":1}"))
    }

    @Test("a response is read by its length, from pieces of any size")
    func pieces() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nETag: \"e:1\"\r\ncontent-length: 5\r\n\r\nhellomore".utf8)
        for size in [1, 2, 3, 7, 100] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
            let response = try response(ScriptedChannel(pieces))
            #expect(response == RemoteResponse(status: 200, entityTag: "\"e:1\"", body: Array("hello".utf8)))
        }
    }

    @Test("a response without a length ends with the connection, and one without a body at its head")
    func lengths() throws {
        #expect(try response(ScriptedChannel("HTTP/1.0 200\r\n\r\nhello")).body == Array("hello".utf8))
        #expect(try response(ScriptedChannel("HTTP/1.1 204 No Content\r\n\r\n")).status == 204)
    }

    @Test("interim responses are skipped, even if they arrive with the response, but not without end")
    func interim() throws {
        let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"
        #expect(try response(ScriptedChannel(hint + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")).body == [0x78])
        #expect(failure(ScriptedChannel(String(repeating: hint, count: 20)))?.kind == .refused)
    }

    @Test(
        "what is not HTTP is refused",
        arguments: [
            "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ])
    func malformed(text: String) { #expect(failure(ScriptedChannel(text))?.description.contains("does not speak HTTP") == true) }

    @Test("a head or a body beyond its limit is refused, whether its length is announced or not")
    func limits() {
        let field = "X: " + String(repeating: "x", count: RemoteResponseHead.maximumSize) + "\r\n"
        #expect(failure(ScriptedChannel("HTTP/1.1 200 OK\r\n\(field)\r\n"))?.description.contains("does not speak HTTP") == true)
        #expect(failure(ScriptedChannel("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"))?.description.contains("larger than 1000") == true)
        let endless = ScriptedChannel([Array("HTTP/1.1 200 OK\r\n\r\n".utf8)] + Array(repeating: Array(repeating: 0x20, count: 400), count: 9))
        #expect(failure(endless)?.description.contains("larger than 1000") == true)
    }

    @Test("an early end of the connection is no response")
    func early() {
        #expect(failure(ScriptedChannel(""))?.kind == .unreachable)
        #expect(failure(ScriptedChannel("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx"))?.kind == .unreachable)
        #expect(failure(ScriptedChannel("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))?.description.contains("chunks") == true)
    }

    @Test("a server that accepts a request and stays silent is given up at the deadline")
    func silence() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let clock = MonotonicClock()
        let channel = SocketChannel(descriptor: ends[0], address: Self.address, clock: clock)
        let failure = #expect(throws: RemoteFailure.self) { try channel.read(until: clock.now) }
        #expect(failure?.kind == .unreachable)
        #expect(write(ends[1], "ab", 2) == 2)
        #expect(try channel.read(until: clock.now + 60) == Array("ab".utf8))
    }

    @Test("a server that does not accept the request in time is given up, unless it has responded")
    func stalled() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        var limit = timeval(tv_sec: 0, tv_usec: 1000)
        try #require(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0)
        let clock = MonotonicClock()
        let channel = SocketChannel(descriptor: ends[0], address: Self.address, clock: clock)
        // The request is larger than the buffer of the socket, which nothing reads.
        let request = [UInt8](repeating: 0x20, count: 32 << 20)
        let failure = #expect(throws: RemoteFailure.self) { try channel.write(request) }
        #expect(failure?.kind == .unreachable)
        #expect(write(ends[1], "ab", 2) == 2)
        try channel.write(request)
        #expect(try channel.read(until: clock.now + 60) == Array("ab".utf8))
    }

    @Test("a problem document gives its sentence, and a missing token the option that helps")
    func problems() {
        let body = Array("{\"title\":\"T\",\"detail\":\"Load an item first.\",\"status\":409}".utf8)
        #expect(RemoteFailure(RemoteResponse(status: 409, body: body), at: Self.address).description == "Load an item first.")
        #expect(RemoteFailure(RemoteResponse(status: 401, body: body), at: Self.address).description.contains("--token-file"))
        #expect(RemoteFailure(RemoteResponse(status: 502, body: [0x3C]), at: Self.address).description.contains("status 502"))
    }
}
