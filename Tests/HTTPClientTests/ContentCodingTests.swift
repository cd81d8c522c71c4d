import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Content codings of responses")
struct ContentCodingTests {
    private func error(_ head: String) throws -> PlaybackError? {
        let server = try MediaServer { _ in .raw("\(head)Content-Length: 5\r\n\r\nhello") }
        defer { server.stop() }
        let source = try HTTPSource(url: server.url("/"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        do throws(PlaybackError) { try source.open() } catch { return error }
        return nil
    }

    @Test(
        "a compressed response is refused with an error that names the coding (R-NET-11)",
        arguments: [
            ("Content-Encoding: gzip", "gzip"), ("content-encoding:  BR ", "br"), ("Content-Encoding: identity, deflate", "deflate"),
            ("Content-Encoding: identity\r\nContent-Encoding: zstd", "zstd"),
            ("Content-Encoding: \(String(repeating: "x", count: 40))", String(repeating: "x", count: 32)), ("Content-Encoding: a\u{7}b", "a?b"),
        ])
    func refused(_ field: String, _ name: String) throws {
        let error = try error("HTTP/1.1 200 OK\r\n\(field)\r\n")
        #expect(error?.message == "The server sends the medium compressed (\(name)), although the request excludes that.")
        #expect(error?.reason == .badResponse && error.map { RetryPolicy.Failure($0) } == .final)
    }

    @Test("a response whose transfer is compressed is refused too (R-NET-11)")
    func refusedTransfer() throws {
        let error = try error("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n")
        // Newer versions of libcurl refuse the field before this program sees it.
        #expect([PlaybackError.compressed("gzip"), .compressed(nil)].map(\.message).contains(error?.message))
        #expect(error?.reason == .badResponse && error.map { RetryPolicy.Failure($0) } == .final)
    }

    @Test(
        "a response that is not compressed is accepted, whatever the spelling",
        arguments: ["Content-Encoding: identity", "Content-Encoding:", "X: y"])
    func accepted(_ field: String) throws { #expect(try error("HTTP/1.1 200 OK\r\n\(field)\r\n") == nil) }

    @Test("the status of a compressed error page is reported, not its coding")
    func errorPage() throws { #expect(try error("HTTP/1.1 404 Not Found\r\nContent-Encoding: gzip\r\n")?.code == .fileNotFound) }
}
