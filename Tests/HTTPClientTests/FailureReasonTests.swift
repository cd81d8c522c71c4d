import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Reasons of failed requests")
struct FailureReasonTests {
    /// Makes one attempt to open the medium of a server, and returns the error.
    private func error(_ url: String) throws -> PlaybackError? {
        let source = try HTTPSource(url: url, headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        do throws(PlaybackError) { try source.open() } catch { return error }
        return nil
    }

    @Test(
        "each status has its code and reason",
        arguments: [
            (401, PlaybackError.Code.permissionDenied, PlaybackError.Reason?.some(.authenticationRequired)), (403, .permissionDenied, nil),
            (404, .fileNotFound, nil), (429, .network, .unavailable), (500, .network, .badResponse), (503, .network, .unavailable),
            (204, .network, .badResponse),
        ])
    func status(_ status: Int, _ code: PlaybackError.Code, _ reason: PlaybackError.Reason?) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let error = try error(server.url("/a"))
        #expect(error?.code == code && error?.reason == reason)
    }

    @Test(
        "invalid responses and redirects in a circle have their reasons",
        arguments: [
            ("garbage", PlaybackError.Reason.badResponse), ("", .connectionLost),
            ("HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n", .tooManyRedirects),
            ("HTTP/1.1 206 Partial\r\nContent-Range: bytes 7-9/10\r\nContent-Length: 3\r\n\r\nabc", .badResponse),
        ])
    func responses(_ answer: String, _ reason: PlaybackError.Reason) throws {
        let server = try MediaServer { _ in .raw(answer) }
        defer { server.stop() }
        #expect(try error(server.url("/a"))?.reason == reason)
    }

    @Test("a server that refuses connections has the reason cannotConnect")
    func refused() throws {
        let server = try MediaServer { _ in .silence }
        server.stop()
        #expect(try error(server.url("/a"))?.reason == .cannotConnect)
    }

    @Test("a name that is not resolved has the reason hostNotFound")
    func unresolved() {
        let failed = #expect(throws: PlaybackError.self) { try NetworkAddress.resolve("a..b") }
        #expect(failed?.reason == .hostNotFound)
    }
}
