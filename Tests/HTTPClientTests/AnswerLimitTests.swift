import Dispatch
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import HTTPClient

/// Tests the limits of a server's response. Each response is finite, and would be read to its end if there were no limit. So a missing limit fails a test, and
/// does not hang it.
@Suite("Limits of a server's response")
struct AnswerLimitTests {
    private static let medium = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// Makes a server that sends a medium in one chunk.
    ///
    /// - Parameters:
    ///   - end: The bytes between the data of the chunk and the size of the last chunk (0).
    ///   - trailers: The bytes after the size of the last chunk.
    private static func chunked(end: String = "\r\n", trailers: String = "\r\n") throws -> MediaServer {
        let bytes = medium
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(bytes.count, radix: 16))\r\n"
        return try MediaServer { _ in .sequence([Array(head.utf8), bytes, Array("\(end)0\r\n\(trailers)".utf8)]) }
    }

    /// Makes a server that sends `interim` and then a complete response with the medium, all bytes at once.
    private static func behind(_ interim: String, fields: String = "") throws -> MediaServer {
        let bytes = medium
        let head = "\(interim)HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n"
        return try MediaServer { _ in .sequence([Array(head.utf8) + bytes]) }
    }

    /// Makes one attempt to read the medium of a server. Returns "read", "damaged", or the message of the error.
    private static func outcome(_ server: MediaServer) -> String {
        do throws(PlaybackError) {
            let source = try HTTPSource(url: server.url("/a.flac"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
            try source.open()
            return try source.rest() == medium ? "read" : "damaged"
        } catch { return error.reason == .badResponse ? error.message : "\(error)" }
    }

    @Test("bytes between a chunk and its line end are refused")
    func bytesBehindChunk() throws {
        let server = try Self.chunked(end: "xyz\r\n")
        defer { server.stop() }
        #expect(Self.outcome(server) == "The chunks of the server's response are malformed.")
    }

    @Test("a size that is not a hexadecimal number is refused", arguments: ["", "+5", "-5", "zz", "8000000000000000", "\u{FF11}"])
    func malformedSize(_ size: String) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nfLaC\r\n0\r\n\r\n") }
        defer { server.stop() }
        #expect(Self.outcome(server) == "The chunks of the server's response are malformed.")
    }

    @Test("trailer fields are ignored")
    func trailers() throws {
        let server = try Self.chunked(trailers: String(repeating: "X-Field: value\r\n", count: 1000) + "\r\n")
        defer { server.stop() }
        #expect(Self.outcome(server) == "read")
    }

    @Test("interim responses are skipped, several at once too", arguments: [1, HTTPExchange.interimLimit])
    func interimAnswers(_ count: Int) throws {
        let server = try Self.behind(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", count: count))
        defer { server.stop() }
        #expect(Self.outcome(server) == "read")
    }

    @Test("more interim responses than the limit are refused")
    func tooManyInterimAnswers() throws {
        let server = try Self.behind(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: HTTPExchange.interimLimit + 1))
        defer { server.stop() }
        #expect(Self.outcome(server) == "The server sends more than 16 interim responses.")
    }

    @Test("response heads longer than the limit are refused, in one response or in several")
    func headTooLong() throws {
        let field = "X-Field: \(String(repeating: "x", count: 6_000))\r\n"
        let one = try Self.behind("", fields: String(repeating: field, count: 12))
        defer { one.stop() }
        #expect(Self.outcome(one) == "The head of the server's response has more than 65536 bytes.")
        let several = try Self.behind(String(repeating: "HTTP/1.1 103 Early Hints\r\n\(field)\r\n", count: 12))
        defer { several.stop() }
        #expect(Self.outcome(several) == "The head of the server's response has more than 65536 bytes.")
    }

    @Test("a response that changes the protocol is refused")
    func changeOfProtocol() throws {
        let server = try Self.behind("HTTP/1.1 101 Switching Protocols\r\n\r\n")
        defer { server.stop() }
        #expect(Self.outcome(server) == "The server's response is not HTTP.")
    }

    @Test("a connection whose bytes nobody reads is closed if it floods while another one is awaited")
    func flood() throws {
        let limit = 64 << 20, sent = Mutex(0), isOver = DispatchSemaphore(value: 0)
        let server = try MediaServer { request in
            if request.target == "/flood" {
                return .flood(limit: limit) { count in
                    sent.withLock { $0 = count }
                    isOver.signal()
                }
            }
            isOver.wait()
            return .raw("HTTP/1.1 204 No Content\r\n\r\n")
        }
        defer { server.stop() }
        let connections = try HTTPConnections()
        func ask(_ target: String) throws -> HTTPExchange {
            let url = try RemoteURL(server.url(target)), addresses = try NetworkAddress.resolve("127.0.0.1")
            let route = HTTPExchange.Route(url: url, proxy: nil, addresses: addresses, trust: .system, isFresh: false)
            return try HTTPExchange(
                route, fields: [], cookie: nil, connections: connections, interrupt: Interrupt(), deadline: MonotonicClock().now + 60)
        }
        let flooding = try ask("/flood")
        #expect(try flooding.receiveHead().status == 200)
        #expect(try ask("/other").receiveHead().status == 204)
        #expect(sent.withLock { $0 } < limit)
        #expect(!flooding.isComplete)
    }
}
