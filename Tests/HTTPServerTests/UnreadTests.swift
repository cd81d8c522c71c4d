import HTTPServer
import PlaybackTesting
import RemoteControl
import Synchronization
import Testing

/// Checks that the memory of responses that clients have not read is limited.
@Suite struct UnreadTests {
    /// The size of a large response, in bytes: more than the kernel buffers for a client that reads nothing.
    private static let size = 8 << 20

    /// A handler that answers `/small` with one byte, and every other request with `size` bytes.
    private final class Handler: HTTPHandler {
        let unread: MemoryBudget

        init(total: Int, share: Int) { unread = MemoryBudget(total: total, share: share) }

        func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission {
            .admitted(
                ScriptedRequest(request) { request, _ in
                    switch request.path {
                    case "/small": HTTPResponse(status: 200, body: [0x78])
                    default: HTTPResponse(status: 200, body: [UInt8](repeating: 0x78, count: UnreadTests.size))
                    }
                })
        }
    }

    /// Connects a client that requests a large response, and reads the head of the response and nothing of its body.
    private static func slowReader(of server: RunningServer) throws -> TestClient {
        let client = try server.client(receiveBuffer: 4096)
        try client.get("/large")
        #expect(try client.head().status == 200)
        return client
    }

    @Test("a large response beyond the memory for unread ones is refused with a time for a retry; small ones are sent")
    func total() throws {
        let handler = Handler(total: Self.size * 3 / 2, share: .max)
        let server = try RunningServer(handler)
        let slow = try Self.slowReader(of: server)
        let other = try server.client()
        try other.get("/large")
        try other.expectServerBusy()
        try other.get("/small")
        #expect(try other.response().status == 200)
        // The slow client reads the rest of its response, after which the memory of the response is free again.
        #expect(try slow.read(count: Self.size).count == Self.size)
        try slow.get("/small")
        #expect(try slow.response().status == 200)
        try other.get("/large")
        #expect(try other.response().body.count == Self.size)
    }

    @Test("a client that disconnects frees its memory")
    func gone() throws {
        let handler = Handler(total: Self.size * 3 / 2, share: .max)
        let server = try RunningServer(handler)
        let slow = try Self.slowReader(of: server)
        #expect(handler.unread.used == Self.size)
        slow.reset()
        let other = try server.client()
        var status = 503
        for _ in 0..<100_000 where status == 503 {
            try other.get("/large")
            status = try other.response().status
        }
        #expect(status == 200)
    }

    @Test("a client has a limited share, so that clients of other addresses get their responses")
    func share() throws {
        let server = try RunningServer(Handler(total: Self.size * 10, share: Self.size * 3 / 2))
        let slow = try Self.slowReader(of: server)
        defer { slow.close() }
        let again = try server.client()
        try again.get("/large")
        #expect(try again.response().status == 503)
        let other = try TestClient(port: server.server.port, from: "127.0.0.2")
        try other.get("/large")
        #expect(try other.response().status == 200)
    }

    @Test("a performed change is answered, however much is unread")
    func answeredChange() throws {
        let handler = Handler(total: Self.size, share: Self.size + 1)
        let server = try RunningServer(handler)
        let slow = try Self.slowReader(of: server)
        defer { slow.close() }
        let other = try server.client()
        try other.get("/large", method: "POST", headers: "Content-Length: 0\r\n")
        #expect(try other.response().status == 200)
    }
}
