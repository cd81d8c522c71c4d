import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Servers that state a wrong length (R-NET-13)")
struct WrongLengthTests {
    private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 9) }

    /// Reads the whole medium. Waits before attempts advance a virtual clock. Returns what was read, the error at its end, and the time of the waits.
    private func read(_ server: KeptServer) throws -> (bytes: [UInt8], error: PlaybackError?, seconds: Double) {
        defer { server.stop() }
        return try read(server.url("/"))
    }
    private func read(_ url: String) throws -> (bytes: [UInt8], error: PlaybackError?, seconds: Double) {
        let clock = VirtualClock(), start = clock.now
        let remote = try HTTPSource(url: url, headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        let source = try RetryingSource(remote, policy: RetryPolicy(), monitor: nil, clock: clock) { time in
            clock.advance(to: time)
            return true
        }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_000, alignment: 16)
        defer { buffer.deallocate() }
        do throws(PlaybackError) {
            while true {
                let count = try source.read(into: buffer)
                if count == 0 { return (bytes, nil, clock.now - start) }
                bytes += buffer[..<count]
            }
        } catch { return (bytes, error, clock.now - start) }
    }

    /// Makes a server of ranges that states too large a length, and ends the connection after the last byte.
    private func server(missing: Int) throws -> KeptServer {
        let bytes = Self.bytes, total = bytes.count + missing
        return try KeptServer { request in
            let first = request.range?.first ?? 0
            guard first >= bytes.count else { return .part(of: bytes, request, fields: "ETag: \"1\"\r\n", total: total) }
            let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(first)-\(total - 1)/\(total)\r\nETag: \"1\"\r\n"
            return .init(head: head, statedLength: total - first)
        }
    }

    @Test("a length that is too large ends the medium where the server says that nothing follows (416)")
    func unsatisfied() throws {
        let bytes = Self.bytes
        let result = try read(KeptServer { .part(of: bytes, $0, fields: "ETag: \"1\"\r\n", total: bytes.count + 900_000) })
        #expect(result.bytes == bytes && result.error == nil && result.seconds == 0)
    }

    @Test("a length that is a little too large ends the medium after the server has ended three connections there")
    func slightlyLonger() throws {
        let result = try read(server(missing: 60_000))
        #expect(result.bytes == Self.bytes && result.error == nil && result.seconds < 5)
    }

    @Test("if a large part is missing, the server is tried again for the whole patience, and the medium fails: it may be a fault of the server")
    func muchLonger() throws {
        let result = try read(server(missing: 900_000))
        #expect(result.bytes == Self.bytes && result.error?.reason == .connectionLost && abs(result.seconds - 60) < 6)
    }

    @Test("a server without ranges that ends its connections at the same byte three times has no further bytes, whatever length it states")
    func withoutRanges() throws {
        let bytes = Self.bytes
        let result = try read(KeptServer { _ in .init(head: "HTTP/1.1 200 OK\r\nETag: \"1\"\r\n", body: bytes, statedLength: bytes.count + 900_000) })
        #expect(result.bytes == bytes && result.error == nil && result.seconds < 5)
    }

    @Test("a server that refuses ranges and sends the medium without is read without (R-NET-03)", arguments: [416, 501])
    func refusedRanges(_ status: Int) throws {
        let bytes = Self.bytes
        let server = try KeptServer { request in
            if request.range != nil { return .init(head: "HTTP/1.1 \(status) No\r\n") }
            return .init(head: "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n", body: bytes)
        }
        let source = try HTTPSource(url: server.url("/"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        try source.open()
        #expect(!source.isSeekable && source.length == Int64(bytes.count))
        #expect(try read(server).bytes == bytes)
        // Each of the two sources was refused once.
        #expect(server.requests.map { $0.range != nil } == [true, false, true, false])
    }

    @Test("a server that refuses ranges, and then everything, is one that has failed", arguments: [416, 501])
    func refusedMedium(_ status: Int) throws {
        let server = try KeptServer { _ in .init(head: "HTTP/1.1 \(status) No\r\n") }
        let source = try HTTPSource(url: server.url("/"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        defer { server.stop() }
        let error = #expect(throws: PlaybackError.self) { try source.open() }
        #expect(error?.underlying?.code == status && server.requests.count == 2)
    }

    @Test("a connection lost after the last byte of an unknown length is followed by one request, whose refusal (416) is the end (R-NET-03)")
    func lostAtTheEnd() throws {
        let bytes = Array(Self.bytes[..<4096])
        // The chunk of no bytes that ends the body is missing.
        let unended = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n".utf8) + bytes + Array("\r\n".utf8)
        let server = try MediaServer { request in
            guard request.start > 0 else { return .sequence([unended]) }
            return .raw("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */4096\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let result = try read(server.url("/"))
        #expect(result.bytes == bytes && result.error == nil)
        #expect(server.requests.map(\.start) == [0, 4096])
    }

    @Test("a length that is too small ends the medium there", arguments: [true, false])
    func shorter(_ hasRanges: Bool) throws {
        let bytes = Self.bytes, part = Array(bytes[..<200_000])
        let result = try read(
            KeptServer { request in
                hasRanges ? .part(of: part, request) : .init(head: "HTTP/1.1 200 OK\r\n", body: bytes, statedLength: part.count)
            })
        #expect(result.bytes == part && result.error == nil && result.seconds == 0)
    }

    @Test("a response that is shorter than its range is followed by a request for the rest")
    func shortPart() throws {
        let bytes = Self.bytes
        let result = try read(
            KeptServer { request in
                var response = KeptServer.Response.part(of: bytes, request, fields: "ETag: \"1\"\r\n")
                response.body = Array(response.body.prefix(70_000))
                return response
            })
        #expect(result.bytes == bytes && result.error == nil)
    }

    @Test("a medium whose length the server does not know is read as far as it grows (R-NET-14)")
    func unknownTotal() throws {
        let bytes = Self.bytes
        let server = try KeptServer { request in
            // The file has 100,000 bytes at the first request, and grows before each later one.
            let first = request.range?.first ?? 0
            guard first < bytes.count else { return .init(head: "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(bytes.count)\r\n") }
            let end = min(bytes.count, first + 100_000)
            return .init(
                head: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(first)-\(end - 1)/*\r\nETag: \"1\"\r\n", body: Array(bytes[first..<end])
            )
        }
        #expect(try read(server).bytes == bytes)
    }

    @Test(
        "a larger length in a later response is followed if the server says that the medium is the same; with another ETag the medium fails (R-NET-14)"
    )
    func growth() throws {
        let bytes = Self.bytes
        for isSame in [true, false] {
            let result = try read(
                KeptServer { request in
                    let isFirst = request.range?.first == 0
                    let tag = isFirst || isSame ? "\"1\"" : "\"2\""
                    var response = KeptServer.Response.part(
                        of: bytes, request, fields: "ETag: \(tag)\r\n", total: isFirst ? 150_000 : bytes.count)
                    response.body = Array(response.body.prefix(100_000))
                    return response
                })
            #expect(result.bytes == (isSame ? bytes : Array(bytes[..<100_000])))
            #expect(result.error == (isSame ? nil : .changed))
        }
    }
}
