import Platform
import Testing

@testable import RemoteControl

/// Tests of the server behind a proxy: the client that the proxy names, the prefix of paths, and the texts of refusals.
@MainActor @Suite struct ProxyTests {
    private static let secret = "a-token-of-the-tests"

    private nonisolated static func proxies(_ ranges: String...) -> TrustedProxies { TrustedProxies(ranges.compactMap(AddressRange.init)) }
    private nonisolated static func client(_ fields: [String], peer: String = "10.0.0.1") -> String? {
        proxies("10.0.0.0/8", "127.0.0.1", "fd00::/8").client(of: HTTPPeer(address: peer, isLoopback: false), fields)?.address
    }
    private func rig(_ configure: (inout RemoteAPI.Configuration) -> Void = { _ in }) throws -> TestRig {
        try TestRig {
            $0.tokens = [AccessToken(Self.secret)].compactMap { $0 }
            $0.requestGuard = RequestGuard(allowedHosts: ["music.example"])
            $0.requestGuard.trustedProxies = Self.proxies("127.0.0.1")
            $0.pathPrefix = try #require(PathPrefix("/tonearm"))
            configure(&$0)
        }
    }

    // MARK: Addresses

    @Test(
        "a range is an address or a network, of either family",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("10.0.0.0/9", "10.128.0.1", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("fd00::/8", "fdff::1%eth0", true), ("::1", "0:0:0:0:0:0:0:1", true), ("10.0.0.1", "nonsense", false),
        ])
    func ranges(range: String, address: String, contains: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(address) == contains)
    }

    @Test(
        "anything else is no range",
        arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "host", "10.0.0", "10.0.0.0/8/8", "1.2.3.4:80", "::1/0x8"])
    func malformedRanges(text: String) { #expect(AddressRange(text) == nil) }

    @Test(
        "the client is the rightmost address that is no trusted proxy",
        arguments: [
            (["203.0.113.7"], "203.0.113.7"), (["1.1.1.1, 203.0.113.7"], "203.0.113.7"), (["1.1.1.1", "203.0.113.7,10.0.0.2"], "203.0.113.7"),
            (["10.0.0.3"], "10.0.0.3"), ([" 2001:db8::1 "], "2001:db8::1"), (["[2001:db8::1]:443"], "2001:db8::1"),
            (["203.0.113.7:1234"], "203.0.113.7"),
            (["127.0.0.1"], "127.0.0.1"),
        ])
    func clients(fields: [String], client: String) { #expect(Self.client(fields) == client) }

    @Test(
        "nothing to the left of a malformed entry is believed",
        arguments: [
            (["1.1.1.1, nonsense"], nil), (["1.1.1.1, nonsense, 10.0.0.2"], "10.0.0.2"), ([""], nil), ([","], nil), (["1.1.1.1,"], nil),
            (["unknown"], nil), (["fe80::1%eth0"], nil), ([String(repeating: "1", count: 10_000)], nil), (["[::1"], nil),
        ] as [([String], String?)])
    func malformedEntries(fields: [String], client: String?) { #expect(Self.client(fields) == client) }

    @Test("at most 16 entries are examined, so that a long field costs nothing")
    func hops() {
        let hops = Array(repeating: "10.0.0.2", count: TrustedProxies.maximumHops)
        #expect(Self.client([(["1.1.1.1"] + hops.dropFirst()).joined(separator: ",")]) == "1.1.1.1")
        #expect(Self.client([(["1.1.1.1"] + hops).joined(separator: ",")]) == "10.0.0.2")
        #expect(Self.client(["1.1.1.1"] + hops) == "10.0.0.2")
    }

    @Test("the field of a peer that is no trusted proxy is ignored")
    func untrusted() { #expect(Self.client(["203.0.113.7"], peer: "192.168.1.9") == nil) }

    @Test("clients behind a trusted proxy do not share one failure limiter, and cannot choose another address")
    func limiter() async throws {
        let rig = try rig()
        func status(_ forwarded: String, peer: HTTPPeer = .loopback) async -> Int {
            let fields = [("Authorization", "Bearer wrong-wrong-wrong-wrong"), ("X-Forwarded-For", forwarded)]
            return await rig.send("GET", "/api/v1/player", headers: fields, peer: peer).status
        }
        for spoofed in 0..<FailureLimiter.burst { #expect(await status("1.1.1.\(spoofed), 203.0.113.7") == 401) }
        #expect(await status("9.9.9.9, 203.0.113.7") == 429)
        #expect(await status("203.0.113.8") == 401)
        // A client that connects directly cannot make its wrong tokens count for another address by a field `X-Forwarded-For`.
        let attacker = HTTPPeer(address: "192.168.1.66", isLoopback: false)
        for _ in 0..<FailureLimiter.burst { #expect(await status("203.0.113.9", peer: attacker) == 401) }
        #expect(await status("203.0.113.9", peer: attacker) == 429)
        #expect(await status("203.0.113.9") == 401)
    }

    @Test("a client that a proxy names is not local, even if it claims to be")
    func notLocal() throws {
        var guarding = RequestGuard()
        guarding.trustedProxies = Self.proxies("127.0.0.1")
        let request = TestRig.request("GET", "/", headers: [("X-Forwarded-For", "127.0.0.1")])
        #expect(!guarding.sender(request, RequestFields(request)).isLoopback)
    }

    // MARK: The prefix

    @Test(
        "a prefix is a path of unreserved characters",
        arguments: [
            ("/tonearm", "/tonearm"), ("/a/b-c_d~e.f/", "/a/b-c_d~e.f"), ("tonearm", nil), ("/", nil), ("", nil), ("//", nil), ("/a//b", nil),
            ("/..", nil),
            ("/a/./b", nil), ("/a b", nil), ("/a?b", nil), ("/%41", nil), ("/" + String(repeating: "a", count: 256), nil),
        ] as [(String, String?)])
    func prefixes(text: String, prefix: String?) { #expect(PathPrefix(text)?.text == prefix) }

    private func respond(_ method: String, _ target: String, _ headers: [(String, String)] = [], json: String? = nil, to rig: TestRig) async -> Reply
    {
        Reply(await rig.respond(to: TestRig.request(method, target, headers: headers + [("Authorization", "Bearer " + Self.secret)], json: json)))
    }

    @Test("each path is also below the prefix, and nothing else is")
    func below() async throws {
        let rig = try rig()
        #expect(await respond("GET", "/tonearm/api/v1/player", to: rig).status == 200)
        #expect(await respond("GET", "/api/v1/player", to: rig).status == 200)
        #expect(await respond("GET", "/tonearmapi/v1/player", to: rig).status == 404)
        #expect(await respond("GET", "/tonearm/tonearm/api/v1/player", to: rig).status == 404)
        #expect(await respond("GET", "/other/api/v1/player", to: rig).status == 404)
    }

    @Test("the prefix alone leads to the page, also from a link of another site")
    func folder() async throws {
        let rig = try rig()
        let reply = await respond("GET", "/tonearm", [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")], to: rig)
        #expect(reply.status == 308)
        #expect(reply.header("Location") == "/tonearm/")
    }

    @Test("the cookie of a page below the prefix is for the prefix only")
    func cookie() async throws {
        let rig = try rig()
        let json = "{\"token\":\"\(Self.secret)\"}"
        #expect(await respond("POST", Self.login, json: json, to: rig).header("Set-Cookie")?.contains("; Path=/; ") == true)
        #expect(await respond("POST", "/tonearm" + Self.login, json: json, to: rig).header("Set-Cookie")?.contains("; Path=/tonearm/; ") == true)
        #expect(await respond("DELETE", "/tonearm" + Self.login, to: rig).header("Set-Cookie")?.contains("; Path=/tonearm/; ") == true)
    }

    private static let login = "/api/v1/login"

    @Test("the contract that is read below the prefix names it in its address")
    func contract() async throws {
        let rig = try rig()
        #expect(await respond("GET", "/tonearm/openapi.yaml", to: rig).text.contains("http://127.0.0.1:7711/tonearm\n"))
        #expect(await respond("GET", "/openapi.yaml", to: rig).text.contains("http://127.0.0.1:7711/tonearm") == false)
    }

    @Test("Location has the prefix with which the request came")
    func location() {
        var response = HTTPResponse(status: 200, headers: [("Location", "/api/v1/player/item"), ("ETag", "/x")])
        PathPrefix.none.apply(to: &response)
        #expect(response.headers[0].value == "/api/v1/player/item")
        PathPrefix("/tonearm")?.apply(to: &response)
        #expect(response.headers.map(\.value) == ["/tonearm/api/v1/player/item", "/x"])
    }

    // MARK: Refusals

    private func detail(_ headers: [(String, String)]) async throws -> String? {
        await (try rig()).send("GET", "/api/v1/player", headers: headers).json?["detail"]?.text
    }

    @Test("the refusal of a Host names the option with that name")
    func hostRefusal() async throws {
        #expect(try await detail([("Host", "nas.local:81")]) == "Start the server with --allow-host nas.local to allow this name.")
    }

    @Test("the refusal of an origin names the option with that origin")
    func originRefusal() async throws {
        #expect(
            try await detail([("Origin", "https://home.example:81")])
                == "Start the server with --allow-origin https://home.example:81 to allow pages of this origin.")
        for origin in ["null", "file://", "https://a b", "https://" + String(repeating: "a", count: 300)] {
            #expect(try await detail([("Origin", origin)])?.contains(origin) == false)
        }
    }

    @Test("behind a proxy that replaces Host, the refusal of the server's own page names Host and --allow-host")
    func replacedHost() async throws {
        let detail = try await detail([("Origin", "https://music.example"), ("X-Forwarded-For", "203.0.113.7")])
        #expect(detail?.contains("must pass on Host unchanged") == true)
        #expect(detail?.contains("--allow-host music.example.") == true)
    }

    // MARK: Pictures for other origins

    @Test("an answer to an allowed origin may be embedded by its page, and any other answer by no foreign page")
    func embedding() async throws {
        let rig = try TestRig { $0.requestGuard = RequestGuard(allowedOrigins: ["https://home.example"]) }
        let allowed = await rig.send("GET", "/api/v1/player", headers: [("Origin", "https://home.example"), ("Sec-Fetch-Site", "cross-site")])
        #expect(allowed.headers.filter { $0.name == "Cross-Origin-Resource-Policy" }.map(\.value) == ["cross-origin"])
        #expect(await rig.send("GET", "/api/v1/player").header("Cross-Origin-Resource-Policy") == "same-origin")
    }
}
