import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("URLs of remote media")
struct RemoteURLTests {
    @Test("a URL is split into its components")
    func urls() throws {
        let url = try RemoteURL("HTTPS://User:p%40ss@Example.COM:8443/a b/ü?q=\"1\"#part")
        #expect(url.isSecure && url.host == "example.com" && url.port == 8443 && url.credentials == "User:p%40ss")
        #expect(url.target == "/a%20b/%c3%bc?q=\"1\"")
        #expect(url.authority == "example.com:8443")
        #expect(try RemoteURL("http://h?x").target == "/?x")
        #expect(try RemoteURL("http://[2001:DB8::1]:80/").authority == "[2001:db8::1]")
        #expect(try RemoteURL("http://h/").port == 80)
    }

    @Test(
        "malformed URLs are refused",
        arguments: [
            "", "http", "http://", "http:h", "http:/h/", "http:///h/", "http://h:0/", "http://h:99999/", "http://h:1x/", "http://a b/", "http://[::1",
            "http://h\r\n/",
            "http://h/\nX: y", "http://[g::1]/", "http://ex\u{E4}mple/", "javascript:1", "http://a@b@c:d/",
        ])
    func badURLs(_ text: String) {
        #expect(throws: PlaybackError.self) { try RemoteURL(text) }
    }

    @Test(
        "relative references in redirects are resolved",
        arguments: [
            ("/x", "http://h:81/x"), ("y", "http://h:81/a/y"), ("//o/z", "http://o/z"), ("https://s/", "https://s/"), ("?q", "http://h:81/a/b?q"),
            ("x?y=http://o/", "http://h:81/a/x?y=http://o/"), ("\u{E9}", "http://h:81/a/%c3%a9"),
        ])
    func references(_ reference: String, _ expected: String) throws {
        let base = try RemoteURL("http://h:81/a/b?c/d")
        #expect(try base.redirected(to: Array(reference.utf8)) == RemoteURL(expected))
    }

    @Test(
        "the references of RFC 3986, section 5.4, are resolved as its tables say",
        arguments: [
            ("g", "g"), ("./g", "g"), ("g/", "g/"), ("/g", "/g"), ("?y", "d;p?y"), ("g?y", "g?y"), ("#s", "d;p?q"), ("g#s", "g"), ("g?y#s", "g?y"),
            (";x", ";x"), ("g;x", "g;x"), ("g;x?y#s", "g;x?y"), ("", "d;p?q"), (".", ""), ("./", ""), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
            ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"),
            ("g.", "g."), (".g", ".g"), ("g..", "g.."), ("..g", "..g"), ("./../g", "/b/g"), ("./g/.", "g/"), ("g/./h", "g/h"), ("g/../h", "h"),
            ("g;x=1/./y", "g;x=1/y"), ("g;x=1/../y", "y"), ("g?y/./x", "g?y/./x"), ("g?y/../x", "g?y/../x"), ("g#s/./x", "g"), ("g#s/../x", "g"),
            // Not in the tables: an empty segment is a segment, and no scheme begins with a digit.
            ("..//g", "/b//g"), ("12:30.mp3", "12:30.mp3"), ("./a:b", "a:b"),
        ])
    func resolution(_ reference: String, _ expected: String) throws {
        let found = try RemoteURL("http://a/b/c/d;p?q").redirected(to: Array(reference.utf8))
        #expect(found.host == "a" && found.target == (expected.utf8.first == 0x2F ? "" : "/b/c/") + expected)
    }

    @Test("a redirect to another server keeps the scheme or names one; another scheme, or one without a server, is refused (RFC 3986, section 5.4)")
    func otherServers() throws {
        let base = try RemoteURL("https://a/b/c/d;p?q")
        #expect(try base.redirected(to: Array("//g".utf8)) == RemoteURL("https://g/"))
        #expect(try base.redirected(to: Array("//g?y/../x".utf8)) == RemoteURL("https://g/?y/../x"))
        #expect(try base.redirected(to: Array("HTTP://g/x/../y#s".utf8)) == RemoteURL("http://g/y"))
        for refused in ["g:h", "https:g", "https:/g", "http:/g/x", "https:///g", "///g", "//", "http://"] {
            let error = #expect(throws: PlaybackError.self) { try base.redirected(to: Array(refused.utf8)) }
            #expect(error?.code == .unsupportedScheme, "\(refused)")
        }
    }

    @Test("a Location of bytes that are not ASCII keeps them, whether or not they are UTF-8", arguments: [[0xC3, 0xA9], [0xE9]] as [[UInt8]])
    func foreignBytes(_ bytes: [UInt8]) throws {
        let reply = try #require(HTTPReply(Array("HTTP/1.1 302 Found\r\nLocation: /".utf8) + bytes + Array(" \r\nX: y".utf8)))
        let target = try RemoteURL("http://h/").redirected(to: #require(reply.location)).target
        #expect(target == "/" + bytes.map { "%" + String($0, radix: 16) }.joined())
    }

    @Test("a redirect to bytes that are not ASCII is followed by a request with each of these bytes percent-encoded, as browsers send it")
    func foreignRedirect() throws {
        let location: [UInt8] = Array("/caf".utf8) + [0xE9] + Array(".flac?q=".utf8) + [0xC3, 0xBC]
        let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + location + Array("\r\n\r\n".utf8)
        let server = try MediaServer { request in request.target == "/" ? .sequence([head]) : .bytes([1, 2, 3], ranges: true) }
        defer { server.stop() }
        let source = try HTTPSource(url: server.url("/"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt())
        try source.open()
        #expect(try source.rest() == [1, 2, 3])
        #expect(server.requests.map(\.target) == ["/", "/caf%e9.flac?q=%c3%bc"])
    }

    @Test("a combining mark after a delimiter does not hide it", arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}"])
    func hiddenDelimiters(_ mark: String) throws {
        // A slash and a combining mark are one character of `String`, which is not equal to "/". A comparison of characters would miss the end of the
        // host.
        let url = try RemoteURL("http://h/\(mark)@evil/?\(mark)#\(mark)")
        #expect(url.host == "h" && url.credentials == nil)
        #expect(url.target.hasPrefix("/%") && url.target.hasSuffix("@evil/?" + url.target.dropFirst().prefix { $0 != "@" }))
        #expect(throws: PlaybackError.self) { try RemoteURL("http://h:\(mark)80/") }
        #expect(throws: PlaybackError.self) { try RemoteURL("http://h\(mark)/") }
        let base = try RemoteURL("http://h:81/a/b")
        #expect(try base.redirected(to: Array("/\(mark)x".utf8)).host == "h")
        #expect(try base.redirected(to: Array("//o/\(mark)x".utf8)).host == "o")
        #expect(throws: PlaybackError.self) { try base.redirected(to: Array("//\(mark)o/x".utf8)) }
        #expect(throws: PlaybackError.self) { try base.redirected(to: Array("ftp:\(mark)//o/x".utf8)) }
    }

    @Test("a redirect to combining marks is one path, and too long a redirect is refused")
    func longReferences() throws {
        let base = try RemoteURL("http://h/a/b")
        let marks = String(repeating: "\u{301}", count: 2000)
        #expect(try base.redirected(to: Array(("x" + marks).utf8)).target == "/a/x" + String(repeating: "%cc%81", count: 2000))
        #expect(throws: PlaybackError.self) { try base.redirected(to: Array(("x" + String(repeating: "\u{301}", count: 200_000)).utf8)) }
    }
}
