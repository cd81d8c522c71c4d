import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("The parts of a medium of many resources")
struct RemotePartsTests {
    private func parts(_ url: String) throws -> RemoteParts {
        try RemoteParts(MediaSource(.remote(url: url)), retryPolicy: RetryPolicy(), interrupt: Interrupt())
    }

    private func rest(_ source: any ByteSource) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        while case let count = try source.read(into: buffer), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    @Test("parts that are read one after the other use one connection")
    func connection() throws {
        let server = try KeptServer { .part(of: Array($0.target.utf8), $0) }
        defer { server.stop() }
        let parts = try parts(server.url("/list"))
        for target in ["/a", "/bc", "/def"] {
            let source = try parts.open(server.url(target), allowsPrivateAddresses: true, isContinuation: true)
            #expect(try rest(source) == Array(target.utf8))
        }
        #expect(server.connectionCount == 1)
    }

    @Test("a range of a part is requested from its start, also of a server without ranges", arguments: [true, false])
    func range(_ hasRanges: Bool) throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let server = try MediaServer { _ in .bytes(bytes, ranges: hasRanges) }
        defer { server.stop() }
        let source = try parts(server.url("/list")).open(
            server.url("/a"), range: 200_000..<250_000, allowsPrivateAddresses: true, isContinuation: false)
        #expect(source.offset == 200_000)
        #expect(try rest(source) == Array(bytes[200_000...]))
        #expect(server.requests.first?.fields["range"] == "bytes=200000-249999")
    }

    @Test("a part at a private address is refused if a public server has named it")
    func privateAddress() throws {
        let parts = try parts("http://127.0.0.1:1/")
        let error = #expect(throws: PlaybackError.self) {
            try parts.open("http://127.0.0.1:1/a", allowsPrivateAddresses: false, isContinuation: false)
        }
        #expect(error?.code == .addressNotAllowed)
    }

    @Test(
        "a reference is resolved against the address of the playlist, whose password it does not keep",
        arguments: [
            ("a.ts", "http://h/x/a.ts"), ("../a.ts?t=1", "http://h/a.ts?t=1"), ("/a", "http://h/a"), ("//o/a", "http://o/a"),
            ("https://o/a", "https://o/a"),
            ("?y", "http://h/x/list.m3u8?y"),
        ])
    func resolve(_ reference: String, _ url: String) throws {
        #expect(try RemoteParts.resolve(reference, against: "http://user:word@h/x/list.m3u8?z=/1") == url)
    }

    @Test("the query of an address is what follows the question mark")
    func query() {
        #expect(RemoteParts.query(of: "http://h/a?b=c&d#e") == "b=c&d" && RemoteParts.query(of: "http://h/a?b=?") == "b=?")
        #expect(RemoteParts.query(of: "http://h/a").isEmpty && RemoteParts.query(of: "http://h/a#b?c").isEmpty)
    }
}
