import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Proxies from the environment")
struct ProxyTests {
    private static let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private static func rules(_ variables: [String: String]) -> ProxyRules { ProxyRules { variables[$0] } }

    private static func source(
        _ url: String, _ variables: [String: String], allowsPrivate: Bool = true, trust: TLSTrust = .system
    ) throws(PlaybackError) -> HTTPSource {
        try HTTPSource(
            url: url, headers: [], allowsPrivateAddresses: allowsPrivate, proxies: rules(variables), trust: trust,
            interrupt: Interrupt())
    }

    /// Opens the medium at a URL through proxies. Returns the error.
    private static func failure(_ url: String, _ variables: [String: String], allowsPrivate: Bool = true) -> PlaybackError? {
        do throws(PlaybackError) {
            try source(url, variables, allowsPrivate: allowsPrivate).open()
            return nil
        } catch { return error }
    }

    @Test("a plain request goes to the proxy in absolute form, with the user of the proxy's URL and without that of the server's name (R-NET-10)")
    func plain() throws {
        let bytes = Self.bytes
        let server = try KeptServer { .part(of: bytes, $0) }
        defer { server.stop() }
        let source = try Self.source(
            "http://music.example:8000/a?b", ["http_proxy": "http://me:p%40ss@127.0.0.1:\(server.port)"], allowsPrivate: false)
        try source.open()
        #expect(try source.rest() == bytes)
        let request = try #require(server.requests.first)
        #expect(request.target == "http://music.example:8000/a?b" && request.fields["host"] == "music.example:8000")
        #expect(request.fields["proxy-authorization"] == "Basic bWU6cEBzcw==" && request.fields["authorization"] == nil)
        #expect(request.fields["accept-encoding"] == "identity")
    }

    @Test("a secure server is reached through a tunnel of the proxy: the TLS session is the server's, which sees nothing of the proxy's user")
    func tunnel() throws {
        let bytes = Self.bytes, identity = TLSIdentity("music.example")
        let server = try KeptServer(identity) { request in
            request.method == "CONNECT" ? .init(head: "HTTP/1.1 200 Connection established\r\n") : .part(of: bytes, request)
        }
        defer { server.stop() }
        let source = try Self.source(
            "https://music.example/a", ["https_proxy": "me:secret@127.0.0.1:\(server.port)"], allowsPrivate: false, trust: identity.trust)
        try source.open()
        #expect(try source.rest() == bytes)
        try source.seek(to: 10)
        #expect(try source.rest() == Array(bytes[10...]))
        #expect(server.requests.map(\.method) == ["CONNECT", "GET", "GET"])
        #expect(server.requests.first?.target == "music.example:443")
        #expect(server.requests.map { $0.fields["proxy-authorization"] } == ["Basic bWU6c2VjcmV0", nil, nil])
        #expect(server.handshakeCount == 1 && server.connectionCount == 1)
    }

    @Test(
        "a proxy that does not connect is named by the error, with the status and without its user",
        arguments: [(407, PlaybackError.Code.permissionDenied), (403, .permissionDenied), (502, .network), (504, .network)])
    func refused(_ status: Int, _ code: PlaybackError.Code) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let error = try #require(Self.failure("https://music.example/a", ["https_proxy": "http://me:secret@127.0.0.1:\(server.port)"]))
        #expect(error.code == code && error.message.hasPrefix("The proxy 127.0.0.1:\(server.port) "))
        #expect(!"\(error)".contains("secret") && !"\(error)".contains("bWU6"))
        #expect(RetryPolicy.Failure(error) == .status(status))
        #expect(server.requests.count == 1)
    }

    @Test("a proxy that requires a user for a plain request is named by the error too")
    func plainAuthentication() throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let error = Self.failure("http://music.example/a", ["http_proxy": "http://127.0.0.1:\(server.port)"])
        #expect(error?.code == .permissionDenied && error?.reason == .authenticationRequired)
        #expect(error?.message.hasPrefix("The proxy 127.0.0.1:\(server.port) requires a user") == true)
    }

    @Test("a proxy that is no HTTP server, or that cannot be reached, is an error that does not blame the server")
    func unreachable() throws {
        let server = try MediaServer { _ in .raw("garbage") }
        let lost = Self.failure("https://music.example/", ["https_proxy": "127.0.0.1:\(server.port)"])?.message
        #expect(lost == "The proxy 127.0.0.1:\(server.port) could not be reached.")
        server.stop()
        let gone = try KeptServer { _ in .init(head: "") }
        gone.stop()
        let message = Self.failure("https://music.example/", ["https_proxy": "127.0.0.1:\(gone.port)"])?.message
        #expect(message == "The proxy 127.0.0.1:\(gone.port) could not be reached.")
    }

    @Test(
        "through a proxy, private addresses and names of local networks are refused unless they are allowed (R-NET-10)",
        arguments: [
            "10.0.0.1", "192.168.1.5", "169.254.169.254", "[fe80::1]", "[::ffff:10.0.0.1]", "0xA.1", "167772161", "10.0.0.1.", "nas", "nas.local",
            "metadata.google.internal", "box.home.arpa", "music.example.1",
        ])
    func privateTarget(_ host: String) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let variables = ["http_proxy": "http://127.0.0.1:\(server.port)"]
        #expect(Self.failure("http://\(host)/", variables, allowsPrivate: false)?.code == .addressNotAllowed)
        #expect(server.requests.isEmpty)
        #expect(Self.failure("http://\(host)/", variables)?.code == .fileNotFound)
    }

    @Test("through a proxy, a redirect from a public name to a private address is refused even if private addresses are allowed")
    func redirect() throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 302 Found\r\nLocation: http://192.168.1.1/\r\n\r\n") }
        defer { server.stop() }
        #expect(Self.failure("http://music.example/", ["http_proxy": "127.0.0.1:\(server.port)"])?.code == .addressNotAllowed)
        #expect(server.requests.count == 1)
    }

    @Test("a loopback address is reached without a proxy", arguments: ["127.0.0.1", "localhost", "a.localhost", "[::1]", "0.0.0.0", "127.1"])
    func loopback(_ host: String) throws {
        #expect(try Self.rules(["http_proxy": "proxy.example:3128"]).proxy(for: RemoteURL("http://\(host)/")) == nil)
    }

    @Test("each scheme has its variable; HTTP_PROXY is not used, and all_proxy counts if the scheme's own variable is missing")
    func variables() throws {
        let plain = try RemoteURL("http://music.example/"), secure = try RemoteURL("https://music.example/")
        func host(_ url: RemoteURL, _ variables: [String: String]) throws -> String? { try Self.rules(variables).proxy(for: url)?.name }
        #expect(try host(plain, ["http_proxy": "a:1", "HTTP_PROXY": "b:1", "https_proxy": "c:1"]) == "a:1")
        #expect(try host(plain, ["HTTP_PROXY": "b:1"]) == nil)
        #expect(try host(plain, ["HTTP_PROXY": "b:1", "ALL_PROXY": "d:1"]) == "d:1")
        #expect(try host(secure, ["HTTPS_PROXY": "b:1", "http_proxy": "a:1"]) == "b:1")
        #expect(try host(secure, ["HTTPS_PROXY": "b:1", "https_proxy": "c:1", "all_proxy": "d:1"]) == "c:1")
        #expect(try host(secure, ["http_proxy": "a:1"]) == nil)
        #expect(try host(secure, ["https_proxy": "", "all_proxy": "d:1", "ALL_PROXY": "e:1"]) == "d:1")
    }

    @Test("the URL of a proxy may lack its scheme; without a port the port is 1080, as with curl")
    func addresses() throws {
        func name(_ text: String) throws -> String { try HTTPProxy(text, variable: "http_proxy").name }
        #expect(try name("proxy.example") == "proxy.example:1080" && name("http://proxy.example/") == "proxy.example:1080")
        #expect(try name("http://u:p@proxy.example:80/") == "proxy.example:80" && name("[2001:db8::1]:3128") == "[2001:db8::1]:3128")
        let user = try HTTPProxy("us%40r@proxy.example", variable: "http_proxy")
        #expect(user.user == "us@r" && user.password == "" && user.url == "http://proxy.example:1080")
    }

    @Test(
        "an invalid proxy is an error that names the variable but not its value, and no request bypasses it",
        arguments: ["ftp://me:secret@p:1", "http://me:secret@p:99999", "me:secret@", "http://secret p/"])
    func invalid(_ value: String) {
        let error = Self.failure("https://music.example/", ["HTTPS_PROXY": value])
        #expect(error?.message.contains("HTTPS_PROXY") == true && error?.message.contains("secret") == false)
        #expect(error.map { RetryPolicy.Failure($0) } == .final)
    }

    @Test(
        "a SOCKS proxy looks up the names of servers, and a proxy for HTTP may have TLS",
        arguments: [
            ("https://p", "https://p:443"), ("socks5://p:1", "socks5h://p:1"), ("socks5h://p", "socks5h://p:1080"), ("SOCKS4://p:1", "socks4a://p:1"),
        ])
    func kinds(_ value: String, _ url: String) throws { #expect(try HTTPProxy(value, variable: "all_proxy").url == url) }

    @Test(
        "no_proxy names servers that are reached directly",
        arguments: [
            ("*", "http://music.example/", true), ("music.example", "http://music.example/", true),
            ("Music.Example", "http://a.MUSIC.example/", true),
            (".music.example", "http://music.example/", true), ("*.music.example", "http://a.b.music.example/", true),
            ("music.example.", "http://music.example/", true), ("music.example", "http://music.example./", true),
            ("music.example", "http://othermusic.example/", false), ("music.example", "http://music.example.org/", false),
            ("a.example, ,b.example", "http://b.example/", true), ("a.example b.example", "http://b.example/", true),
            ("", "http://a.example/", false),
            ("music.example:8000", "http://music.example:8000/", true), ("music.example:8000", "http://music.example/", false),
            ("music.example:80", "http://music.example/", true), ("music.example:x", "http://music.example/", false),
            ("10.0.0.1", "http://10.0.0.1/", true), ("10.0.0.1", "http://10.0.0.2/", false), ("10.0.0.1:81", "http://10.0.0.1:81/", true),
            ("10.0.0.0/8", "http://10.200.3.4/", true), ("10.0.0.0/8", "http://11.0.0.1/", false), ("192.168.4.0/22", "http://192.168.7.255/", true),
            ("192.168.4.0/22", "http://192.168.8.0/", false), ("10.0.0.0/33", "http://10.0.0.1/", false),
            ("0.0.0.0/0", "http://[2001:db8::1]/", false),
            ("2001:db8::/32", "http://[2001:db8:1::1]/", true), ("2001:db8::1", "http://[2001:db8::1]/", true),
            ("[2001:db8::1]:81", "http://[2001:db8::1]:81/", true), ("[2001:db8::1]:81", "http://[2001:db8::1]/", false),
            ("0.0.0.1", "http://music0.0.0.1/", false), ("/8", "http://music.example/", false), ("[", "http://music.example/", false),
        ])
    func exceptions(_ list: String, _ url: String, _ isDirect: Bool) throws {
        #expect(try (Self.rules(["http_proxy": "p:1", "no_proxy": list]).proxy(for: RemoteURL(url)) == nil) == isDirect)
        #expect(try (Self.rules(["http_proxy": "p:1", "NO_PROXY": list]).proxy(for: RemoteURL(url)) == nil) == isDirect)
    }

    @Test("a no_proxy beyond its limit is an error, and is not cut")
    func longList() throws {
        let list = String(repeating: "a", count: ProxyRules.exceptionLimit + 1), url = try RemoteURL("http://music.example/")
        #expect(throws: PlaybackError.self) { try Self.rules(["http_proxy": "p:1", "no_proxy": list]).proxy(for: url) }
        #expect(try Self.rules(["http_proxy": "p:1", "no_proxy": String(list.dropLast())]).proxy(for: url) != nil)
    }
}
