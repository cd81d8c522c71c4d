import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Cookies of one medium (R-NET-12)")
struct CookieTests {
    @Test("a cookie of a redirect is sent with the later requests of the medium, beside the user's own; another medium does not get it")
    func redirect() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 3) }
        let server = try KeptServer { request in
            request.target == "/start"
                ? .init(head: "HTTP/1.1 302 Found\r\nLocation: /medium\r\nSet-Cookie: session=42; Path=/\r\n") : .part(of: bytes, request)
        }
        defer { server.stop() }
        func open() throws -> HTTPSource {
            let own = [MetadataEntry(key: "Cookie", value: "mine=1")]
            let source = try HTTPSource(url: server.url("/start"), headers: own, allowsPrivateAddresses: true, interrupt: Interrupt())
            try source.open()
            return source
        }
        #expect(try open().rest() == bytes)
        #expect(server.requests.map { $0.fields["cookie"] } == ["mine=1", "session=42; mine=1"])
        _ = try open()
        #expect(server.requests.map { $0.fields["cookie"] }[2] == "mine=1")
    }

    @Test("many cookies are forgotten")
    func limit() throws {
        let server = try KeptServer { request in
            let names = (0..<40).map { "Set-Cookie: \(request.target.dropFirst())-\($0)=1\r\n" }.joined()
            return .init(head: "HTTP/1.1 302 Found\r\nLocation: /\(request.target.utf8.count)\r\n\(names)")
        }
        defer { server.stop() }
        let source = try HTTPSource(url: server.url("/"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        #expect(throws: PlaybackError.self) { try source.open() }
        #expect(server.requests.count == 9 && server.requests.allSatisfy { ($0.fields["cookie"]?.split(separator: ";").count ?? 0) <= 40 })
    }

    @Test("a cookie is not sent to another host, whatever domain it states")
    func foreignHost() throws {
        let proxy = try KeptServer { request in
            request.target.hasSuffix("/start")
                ? .init(head: "HTTP/1.1 302 Found\r\nLocation: http://music.example/a\r\nSet-Cookie: session=42; Path=/; Domain=music.example\r\n")
                : .part(of: [1, 2, 3], request)
        }
        defer { proxy.stop() }
        let address = "http://127.0.0.1:\(proxy.port)"
        let source = try HTTPSource(
            url: "http://cdn.music.example/start", headers: [], allowsPrivateAddresses: true,
            proxies: ProxyRules { $0 == "http_proxy" ? address : nil }, interrupt: Interrupt())
        try source.open()
        #expect(proxy.requests.count == 2 && proxy.requests[1].fields["cookie"] == nil)
    }
}
