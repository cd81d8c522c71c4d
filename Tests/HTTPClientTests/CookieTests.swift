import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Cookies of one medium (R-NET-12)")
struct CookieTests {
    /// Returns the cookies for a request, after responses from URLs with these values of `Set-Cookie`.
    private func cookies(_ responses: [(String, String)], for url: String) throws -> String? {
        var jar = CookieJar()
        for (url, value) in responses {
            let reply = try #require(HTTPReply(Array("HTTP/1.1 200 OK\r\nSet-Cookie: \(value)".utf8)))
            jar.keep(reply, from: try RemoteURL(url))
        }
        return try jar.field(for: RemoteURL(url)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "a cookie is sent to its host, below its path, and only over TLS if it is secure",
        arguments: [
            ("a=1", "http://h.example/x/y", "http://h.example/x/z", "a=1"), ("a=1", "http://h.example/x/y", "http://h.example/z", nil),
            ("a=1", "http://h.example/x/y", "http://h.example/xx/z", nil), ("a=1; Path=/", "http://h.example/x/y", "http://h.example/z", "a=1"),
            ("a=1; path=/z; HttpOnly", "http://h.example/x/y", "http://h.example/z?q", "a=1"),
            ("a=1", "http://h.example/", "http://H.EXAMPLE/x", "a=1"),
            ("a=1; Path=x", "http://h.example/x/y", "http://h.example/x/z", "a=1"), ("a=1", "http://h.example/", "http://other.example/", nil),
            ("a=1; Domain=example", "http://h.example/", "http://other.example/", nil),
            ("a=1; Domain=h.example", "http://h.example/", "http://sub.h.example/", nil),
            ("a=1; Secure", "https://h.example/", "https://h.example/", "a=1"), ("a=1; Secure", "https://h.example/", "http://h.example/", nil),
            ("a=1; Secure", "http://h.example/", "https://h.example/", nil), (" a = 1 2 ; x", "http://h.example/", "http://h.example/", "a=1 2"),
            ("a=", "http://h.example/", "http://h.example/", "a="), ("=1", "http://h.example/", "http://h.example/", nil),
            ("a", "http://h.example/", "http://h.example/", nil), ("a=1; Max-Age=0", "http://h.example/", "http://h.example/", nil),
            ("a=\u{1}", "http://h.example/", "http://h.example/", nil),
        ] as [(String, String, String, String?)])
    func rules(_ value: String, _ from: String, _ to: String, _ expected: String?) throws {
        #expect(try cookies([(from, value)], for: to) == expected)
    }

    @Test("a later cookie of the same name and path replaces the earlier one, and longer paths precede")
    func order() throws {
        let url = "https://h.example/x/y"
        #expect(try cookies([(url, "a=1"), (url, "b=2; Path=/"), (url, "a=3")], for: url) == "a=3; b=2")
        #expect(try cookies([(url, "b=2; Path=/"), (url, "a=1")], for: url) == "a=1; b=2")
        #expect(try cookies([(url, "a=1"), (url, "a=1; Max-Age=-5")], for: url) == nil)
        #expect(try cookies([(url, "a=1; Secure"), ("http://h.example/x/y", "a=2")], for: url) == "a=1")
    }

    @Test("an Expires in the past removes a cookie, unless its Max-Age is longer")
    func expiry() throws {
        let url = "http://h.example/", past = "Thu, 01 Jan 1970 00:00:00 GMT", future = "Fri, 31 Dec 9999 23:59:59 GMT"
        #expect(try cookies([(url, "a=1"), (url, "b=2"), (url, "a=; Expires=\(past)")], for: url) == "b=2")
        for (attributes, isKept) in [
            ("Expires=\(past)", false), ("expires = thursday, 01-jan-70 00:00:01 gmt", false), ("Expires=Thu Jan  1 00:00:01 1970", false),
            ("Expires=\(future)", true), ("Expires=\(past); Expires=\(future)", true), ("Expires=\(future); Expires=\(past)", false),
            ("Expires=\(past); Max-Age=60", true), ("Max-Age=60; Expires=\(past)", true), ("Expires=\(future); Max-Age=0", false),
            ("Expires=\(past); Max-Age=soon", false), ("Expires=0", true), ("Expires", true), ("Expires=\(past); Expires=never", false),
        ] {
            #expect(try cookies([(url, "a=1; \(attributes)")], for: url) == (isKept ? "a=1" : nil), "\(attributes)")
        }
    }

    @Test(
        "the date of a cookie is read in any form (RFC 6265, section 5.1.1)",
        arguments: [
            ("Sat, 31 Jan 2026 12:00:00 GMT", 1_769_860_800), ("Saturday, 31-Jan-26 12:00:00 GMT", 1_769_860_800),
            ("Sat Jan 31 12:00:00 2026", 1_769_860_800), ("2026 january 31th 12:00:00.5", 1_769_860_800), ("1 Jan 1970 0:0:0", 0),
            ("1 Jan 99 0:0:0", 915_148_800), ("31 Dec 1969 23:59:59", -1), ("30 Feb 2026 12:00:00", nil), ("31 Jan 2026 24:00:00", nil),
            ("31 Jan 2026 12:60:00", nil), ("31 Jan 2026 12:00", nil), ("31 Jan 1600 12:00:00", nil), ("0 Jan 2026 12:00:00", nil),
            ("31 2026 12:00:00", nil), ("131 Jan 2026 12:00:00", nil), ("12:00:00", nil), ("", nil),
        ] as [(String, Double?)])
    func date(_ text: String, _ seconds: Double?) { #expect(CookieJar.date(Array(text.utf8)) == seconds) }

    @Test("of more than 20 cookies the oldest are removed, and a cookie of more than 4,096 bytes is ignored")
    func limits() throws {
        let url = "http://h.example/"
        let many = try cookies((0..<30).map { (url, "c\($0)=1") }, for: url)
        #expect(many == (10..<30).map { "c\($0)=1" }.joined(separator: "; "))
        let longest = "a=" + String(repeating: "x", count: CookieJar.sizeLimit - 2)
        #expect(try cookies([(url, longest)], for: url) == longest && cookies([(url, longest + "x")], for: url) == nil)
    }

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
        #expect(server.requests.map { $0.fields["cookie"] } == ["mine=1", "mine=1; session=42"])
        _ = try open()
        #expect(server.requests.map { $0.fields["cookie"] }[2] == "mine=1")
    }

    @Test("a cookie is not sent to another host")
    func foreignHost() throws {
        let bytes: [UInt8] = Array(repeating: 7, count: 1000)
        let target = try KeptServer { .part(of: bytes, $0) }
        defer { target.stop() }
        let location = "http://localhost:\(target.port)/medium"
        let server = try KeptServer { _ in
            .init(head: "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nSet-Cookie: session=42; Path=/; Domain=localhost\r\n")
        }
        defer { server.stop() }
        let source = try HTTPSource(url: server.url("/start"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        try source.open()
        #expect(target.requests.count == 1 && target.requests[0].fields["cookie"] == nil)
    }
}
