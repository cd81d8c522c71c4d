import Platform
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the access tokens of the API.
@MainActor @Suite struct AccessTests {
    private static let secret = "a-token-of-the-tests"
    private static let other = "another-token-of-them"
    private let phone = HTTPPeer(address: "192.168.1.20", isLoopback: false)
    private let rig: TestRig
    private let date = MovingWallClock()

    init() throws {
        let tokens = [AccessToken(Self.secret), AccessToken(Self.other)].compactMap { $0 }
        let date = date
        rig = try TestRig {
            $0.tokens = tokens
            $0.wallClock = date
            $0.web = StaticFiles(["/index.html": StaticFiles.File(contentType: "text/html", bytes: Array("page".utf8))])
        }
    }

    private func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer " + token)] }
    private func get(_ headers: [(String, String)] = [], peer: HTTPPeer? = nil) async -> Reply {
        await rig.send("GET", "/api/v1/player", headers: headers, peer: peer ?? phone)
    }

    @Test("a token has 16 to 512 characters, none of which needs quoting in a header, cookie or URL")
    func shape() {
        #expect(AccessToken(String(repeating: "a", count: 15)) == nil)
        #expect(AccessToken(String(repeating: "a", count: 16)) != nil)
        #expect(AccessToken(String(repeating: "a", count: 512)) != nil)
        #expect(AccessToken(String(repeating: "a", count: 513)) == nil)
        for wrong in [" ", ";", ",", "\"", "\n", "é", "\0", "#", "%"] { #expect(AccessToken("aaaaaaaaaaaaaaaaaaaa" + wrong) == nil) }
        #expect(AccessToken("AZaz09-._~+/========") != nil)
    }

    @Test("a new token has 256 random bits, and no two are equal")
    func random() {
        let tokens = Set((0..<100).map { _ in AccessToken.random().text })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.utf8.count == 43 && AccessToken($0) != nil })
    }

    @Test("a token matches only its exact bytes: no prefix, extension or other case")
    func matching() {
        let token = AccessToken(Self.secret)
        func matches(_ text: String) -> Bool? { Array(text.utf8).withUnsafeBytes { token?.matches($0) } }
        #expect(matches(Self.secret) == true)
        for wrong in ["", "a", String(Self.secret.dropLast()), Self.secret + "s", Self.secret + "\0", Self.secret.uppercased()] {
            #expect(matches(wrong) == false)
        }
    }

    @Test("without a token, every operation that is not open answers 401 and performs nothing")
    func closed() async throws {
        for route in rig.api.routes where !route.isOpen {
            let path = route.template.split(separator: "{id}", omittingEmptySubsequences: false).joined(separator: "e1")
            let reply = await rig.send(route.method, path, json: route.body == .none ? nil : "{}", peer: phone)
            #expect(reply.status == 401, "\(route.operationID)")
            #expect(reply.problem == "unauthorized")
            #expect(reply.header("WWW-Authenticate") == "Bearer realm=\"Tonearm\"")
        }
        #expect(rig.player.performed.isEmpty)
    }

    @Test("the page, the contract, the server's description, the login and the two health checks need no token")
    func open() async throws {
        for path in ["/", "/index.html", "/openapi.yaml", "/healthz", "/readyz"] {
            #expect(await rig.send("GET", path, peer: phone).status == 200, "\(path)")
        }
        #expect(
            rig.api.routes.filter(\.isOpen).map(\.operationID).sorted() == [
                "getContract", "getContractAsJSON", "getHealth", "getReadiness", "getServer", "getWebRemote", "logIn", "logOut",
            ])
    }

    @Test("a request without a token is refused before its body is read")
    func early() async throws {
        let request = TestRig.request("PUT", "/api/v1/player/item", headers: [("Content-Type", "application/json")], peer: phone)
        #expect(rig.api.precheck(request, contentLength: 100)?.status == 401)
        let allowed = TestRig.request(
            "PUT", "/api/v1/player/item", headers: bearer(Self.secret) + [("Content-Type", "application/json")], peer: phone)
        #expect(rig.api.precheck(allowed, contentLength: 100) == nil)
    }

    @Test("each configured token is accepted, whatever the case of the scheme; everything else is refused (RFC 6750)")
    func bearer() async throws {
        #expect(await get(bearer(Self.secret)).status == 200)
        #expect(await get(bearer(Self.other)).status == 200)
        #expect(await get([("authorization", "bEARER " + Self.secret)]).status == 200)
        for wrong in ["Basic " + Self.secret, Self.secret, "Bearer", "Bearer ", "Bearer" + Self.secret, ""] {
            #expect(await get([("Authorization", wrong)]).status == 401, "\(wrong)")
        }
        let refused = await get(bearer(Self.secret + "x"))
        #expect(refused.status == 401)
        #expect(refused.header("WWW-Authenticate") == "Bearer realm=\"Tonearm\", error=\"invalid_token\"")
        #expect(!refused.text.contains(Self.secret))
        #expect(await get(bearer(Self.secret) + bearer(Self.secret)).status == 400)
    }

    @Test("a client on this machine needs the token too, because it may be a proxy")
    func loopback() async throws {
        #expect(await get(peer: .loopback).status == 401)
        #expect(await get(bearer(Self.secret), peer: .loopback).status == 200)
    }

    @Test("no token is needed if none is configured")
    func notNeeded() async throws {
        let rig = try TestRig()
        #expect(await rig.send("GET", "/api/v1/player", peer: phone).status == 200)
        #expect(await rig.send("GET", "/api/v1/player", headers: bearer("whatever"), peer: phone).status == 200)
        let session = await rig.send("POST", "/api/v1/login", json: #"{"token":"whatever"}"#, peer: phone)
        #expect(session.status == 204)
        #expect(session.header("Set-Cookie") == nil)
    }

    // MARK: The cookie

    private func trade(_ token: String = secret, headers: [(String, String)] = []) async -> Reply {
        await rig.send("POST", "/api/v1/login", headers: headers, json: "{\"token\":\"\(token)\"}", peer: phone)
    }

    @Test("the token is exchanged for a cookie that is HttpOnly and SameSite=Strict, and the cookie grants access")
    func cookie() async throws {
        let reply = await trade()
        #expect(reply.status == 204)
        let cookie = try #require(reply.header("Set-Cookie"))
        #expect(cookie.hasPrefix("tonearm-7711="))
        #expect(cookie.hasSuffix("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(await get([("Cookie", pair)]).status == 200)
        #expect(await get([("Cookie", "theme=dark; \(pair); x=y")]).status == 200)
        let stream = try await rig.events(headers: [("Cookie", pair)])
        #expect(stream.read().first?.name == "state")
    }

    @Test("the cookie does not contain the token, and each session gets a different one")
    func derivedCookie() async throws {
        let (first, second) = (try await sessionValue(), try await sessionValue())
        #expect(first != second)
        for value in [first, second] {
            #expect(!value.contains(Self.secret))
            // The value of the cookie is accepted as a cookie only, not as a bearer token, and the token is not accepted as a cookie.
            #expect(await get([("Cookie", "tonearm-7711=" + value)]).status == 200)
            #expect(await get(bearer(value)).status == 401)
        }
        #expect(await get([("Cookie", "tonearm-7711=" + Self.secret)]).status == 401)
        #expect(await get([("Cookie", "tonearm-7711=" + (try await sessionValue(Self.other)))]).status == 200)
    }

    @Test("a cookie is valid for one year and then removed from the browser; an expired cookie does not count as a guess")
    func expiredCookie() async throws {
        let pair = "tonearm-7711=" + (try await sessionValue())
        date.advance(by: 365 * 86_400 - 1)
        #expect(await get([("Cookie", pair)]).status == 200)
        date.advance(by: 1)
        for _ in 0..<(2 * FailureLimiter.burst) {
            let reply = await get([("Cookie", pair)])
            #expect(reply.status == 401)
            #expect(reply.header("Set-Cookie")?.contains("Max-Age=0") == true)
        }
        #expect(await get(bearer("wrong-wrong-wrong-wrong")).status == 401)
    }

    @Test("a cookie becomes invalid with its token, and a change of any of its parts invalidates it")
    func forgedCookie() async throws {
        let value = try await sessionValue()
        let parts = value.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let (later, other) = (String((Int(parts[0]) ?? 0) + 1), String(parts[1].reversed()))
        for forged in [
            "\(later).\(parts[1]).\(parts[2])", "\(parts[0]).\(other).\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2].dropLast())",
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "..", "+\(value)", "\(value).\(value)",
        ] { #expect(SessionCookie.check(forged, [try #require(AccessToken(Self.secret))], name: "tonearm-7711", now: 0) == .wrong, "\(forged)") }
        let changed = try TestRig { [date] in
            $0.tokens = [AccessToken("the-token-that-came-after")].compactMap { $0 }
            $0.wallClock = date
        }
        #expect(await changed.send("GET", "/api/v1/player", headers: [("Cookie", "tonearm-7711=" + value)], peer: phone).status == 401)
    }

    /// Exchanges a token for a new cookie, and returns the value of the cookie.
    private func sessionValue(_ token: String = secret, host: String = "127.0.0.1:7711") async throws -> String {
        let field = try #require(await trade(token, headers: [("Host", host)]).header("Set-Cookie"))
        return String(field.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst())
    }

    @Test("the cookie is Secure if the page's origin is https")
    func secureCookie() async throws {
        let reply = await trade(headers: [("Origin", "https://127.0.0.1:7711")])
        #expect(reply.header("Set-Cookie")?.hasSuffix("; Secure") == true)
    }

    @Test("the cookie of a server on another port of the same host is ignored")
    func otherPort() async throws {
        let other = "tonearm-7712=" + (try await sessionValue(host: "10.0.0.1:7712"))
        #expect(await get([("Cookie", other)]).status == 401)
        #expect(await get([("Cookie", other), ("Host", "10.0.0.1:7712")]).status == 200)
        #expect(await get([("Cookie", "tonearm-80=" + (try await sessionValue(host: "10.0.0.1"))), ("Host", "10.0.0.1")]).status == 200)
        // The name of the cookie depends on the port. A value that was issued for one name is invalid under another name.
        #expect(await get([("Cookie", "tonearm-7711=" + (try await sessionValue(host: "10.0.0.1")))]).status == 401)
    }

    @Test("any number of cookies of the same name, which a server on another port has set, do not lock the right one out")
    func manyCookies() async throws {
        let value = try await sessionValue()
        let wrong = String(value.dropLast()) + (value.last == "0" ? "1" : "0")
        let foreign = (0..<30).map { "tonearm-7711=\($0 % 2 == 0 ? wrong : "x")" }
        #expect(await get([("Cookie", (foreign + ["tonearm-7711=" + value]).joined(separator: "; "))]).status == 200)
        #expect(await get([("Cookie", foreign.joined(separator: "; "))]).status == 401)
    }

    @Test("an invalid cookie is removed from the browser")
    func staleCookie() async throws {
        let reply = await get([("Cookie", "tonearm-7711=former-token-of-the-tests")])
        #expect(reply.status == 401)
        #expect(reply.header("Set-Cookie") == "tonearm-7711=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
    }

    @Test("a wrong token sets no cookie, and DELETE removes the cookie")
    func session() async throws {
        let wrong = await trade("wrong-wrong-wrong-wrong")
        #expect(wrong.status == 401)
        #expect(wrong.header("Set-Cookie") == nil)
        #expect(await rig.send("POST", "/api/v1/login", json: "{}", peer: phone).problem == "missing-member")
        let closed = await rig.send("DELETE", "/api/v1/login", peer: phone)
        #expect(closed.status == 204)
        #expect(closed.header("Set-Cookie")?.contains("Max-Age=0") == true)
    }

    @Test("a token exchange is refused if it is sent by a page of another origin or by a form")
    func foreignTrade() async throws {
        #expect(await trade(headers: [("Origin", "http://evil.example")]).status == 403)
        #expect(await trade(headers: [("Content-Type", "application/x-www-form-urlencoded")]).status == 415)
    }

    @Test("a token exchange is not stored under its Idempotency-Key")
    func keyedTrade() async throws {
        for _ in 0..<2 {
            let reply = await trade(headers: [("Idempotency-Key", "k")])
            #expect(reply.status == 204)
            #expect(reply.header("Idempotency-Replayed") == nil)
        }
    }

    // MARK: Guessing

    @Test("after ten wrong tokens an address gets 429 for further wrong tokens; the right token and other addresses pass")
    func guessing() async throws {
        let wrong = bearer("wrong-wrong-wrong-wrong")
        for _ in 0..<FailureLimiter.burst { #expect(await get(wrong).status == 401) }
        let refused = await get(wrong)
        #expect(refused.status == 429)
        #expect(refused.problem == "too-many-failures")
        #expect(refused.header("Retry-After") == "6")
        #expect(await trade().status == 204)
        #expect(await get(bearer(Self.secret)).status == 200)
        #expect(await get([("Cookie", "tonearm-7711=" + (try await sessionValue()))]).status == 200)
        // A request without a token does not count as a guess of the token.
        #expect(await get().status == 401)
        #expect(await get(bearer(Self.secret), peer: HTTPPeer(address: "192.168.1.21", isLoopback: false)).status == 200)
        #expect(await get(wrong).status == 429)
        rig.time.advance(by: 6.1)
        #expect(await get(wrong).status == 401)
    }

    @Test("guessing for an hour allows at most 610 guesses, by header and cookie together")
    func rate() async throws {
        var guesses = 0
        for second in 0..<3600 {
            let headers = second % 2 == 0 ? bearer("wrong-wrong-wrong-\(second)") : [("Cookie", "tonearm-7711=wrong-wrong-wrong-\(second)")]
            if await get(headers).status == 401 { guesses += 1 }
            rig.time.advance(by: 1)
        }
        #expect(guesses <= 610)
        #expect(guesses >= 600)
    }

    @Test("all addresses of one IPv6 network (/64) count as one client, and the number of remembered addresses is bounded")
    func bounds() {
        let limiter = FailureLimiter()
        let now = rig.time.now
        func peer(_ address: String) -> HTTPPeer { HTTPPeer(address: address, isLoopback: false) }
        for host in 0..<FailureLimiter.burst { limiter.noteFailure(of: peer("2001:db8:1:2::\(host + 1)"), at: now) }
        #expect(limiter.delay(of: peer("2001:db8:1:2:ffff::9"), at: now) != nil)
        #expect(limiter.delay(of: peer("2001:db8:1:3::1"), at: now) == nil)
        #expect(limiter.addressCount == 1)
        for a in 0..<40 { for b in 0..<100 { limiter.noteFailure(of: peer("10.0.\(a).\(b)"), at: now) } }
        #expect(limiter.addressCount == FailureLimiter.capacity)
        // The limiter's table is full. The address with the most failures has stayed in it, although many addresses with one failure were added.
        #expect(limiter.delay(of: peer("2001:db8:1:2::1"), at: now) != nil)
        #expect(limiter.delay(of: peer("10.0.39.99"), at: now + 100.0) == nil)
    }

    @Test("a body is refused before it is received if the route takes none, and limited to 1024 bytes for a token exchange")
    func bodyWithoutRoute() async throws {
        for (method, path) in [("GET", "/index.html"), ("OPTIONS", "/index.html"), ("OPTIONS", "/api/v1/player"), ("GET", "/"), ("GET", "/healthz")] {
            let request = TestRig.request(method, path, headers: [("Content-Type", "application/json")], peer: phone)
            #expect(rig.api.precheck(request, contentLength: 1 << 20)?.status ?? 200 >= 400, "\(method) \(path)")
        }
        let trade = TestRig.request("POST", "/api/v1/login", headers: [("Content-Type", "application/json")], peer: phone)
        #expect(rig.api.precheck(trade, contentLength: 1024) == nil)
        #expect(rig.api.precheck(trade, contentLength: 1025)?.status == 413)
    }

    // MARK: Private addresses

    @Test("a client with the token may play URLs of private networks; a remote client of a server without token may not")
    func privateURLs() async throws {
        let body = #"{"url":"http://192.168.1.5/radio"}"#
        #expect(await rig.send("PUT", "/api/v1/player/item", headers: bearer(Self.secret), json: body, peer: phone).status == 201)
        let open = try TestRig()
        #expect(await open.send("PUT", "/api/v1/player/item", json: body, peer: phone).status == 201)
        func allows(_ rig: TestRig) -> Bool? {
            guard case .setItem(let entry, play: _, startTime: _)? = rig.player.performed.last?.command else { return nil }
            return entry.source.allowsPrivateAddresses
        }
        #expect(allows(rig) == true)
        #expect(allows(open) == false)
    }

    // MARK: Behind a proxy

    /// Whether the server opens an item with a URL of a private address if the client `peer` requests it.
    private func opensPrivate(_ rig: TestRig, headers: [(String, String)] = [], peer: HTTPPeer = .loopback) async throws -> Bool {
        let request = TestRig.request(
            "PUT", "/api/v1/player/item", headers: headers, json: #"{"url":"http://192.168.1.5/radio"}"#, peer: peer)
        #expect(await rig.respond(to: request).status == 201)
        guard case .setItem(let entry, play: _, startTime: _)? = rig.player.performed.last?.command else { throw TestRig.NoStream() }
        return entry.source.allowsPrivateAddresses
    }

    @Test(
        "a client behind a proxy does not count as local",
        arguments: [
            ("Forwarded", "for=192.0.2.60"), ("X-Forwarded-For", "192.0.2.60"), ("x-real-ip", "192.0.2.60"), ("Via", "1.1 proxy"),
            ("X-Forwarded-Host", "music.example"),
        ])
    func forwarded(name: String, value: String) async throws {
        let rig = try TestRig()
        #expect(try await opensPrivate(rig))
        #expect(try await !opensPrivate(rig, headers: [(name, value)]))
    }

    @Test("a server without token refuses forwarded requests, unless it is configured to admit them")
    func forwardedWithoutToken() async throws {
        let rig = try TestRig { $0.requestGuard.admitsForwarded = false }
        let refused = await rig.respond(to: TestRig.request("POST", "/api/v1/player/pause", headers: [("X-Forwarded-For", "192.0.2.60")]))
        #expect(refused.status == 403)
        #expect(rig.player.performed.isEmpty)
        #expect(await rig.respond(to: TestRig.request("POST", "/api/v1/player/pause")).status == 200)
    }

    @Test("if outside names are allowed, a loopback client does not count as local, except the command line; the token restores the right")
    func namesOutside() async throws {
        for outside in [RequestGuard(allowedHosts: ["music.example"]), RequestGuard(allowedOrigins: ["https://home.example"])] {
            let rig = try TestRig { $0.requestGuard = outside }
            #expect(try await !opensPrivate(rig))
            async let reason = rig.api.play(["http://192.168.1.5/radio"], client: "command line")
            await rig.until { rig.player.pendingLoads == 1 }
            rig.player.finishLoading()
            #expect(await reason == nil)
            guard case .setItem(let entry, play: true, startTime: nil)? = rig.player.performed.last?.command else { throw TestRig.NoStream() }
            #expect(entry.source.allowsPrivateAddresses)
        }
        let local = try TestRig {
            $0.requestGuard = RequestGuard(
                allowedHosts: ["localhost", "a.localhost"], allowedOrigins: ["http://localhost:3000", "http://[::1]:80/"])
        }
        #expect(try await opensPrivate(local))
        let closed = try TestRig {
            $0.requestGuard = RequestGuard(allowedHosts: ["music.example"])
            $0.tokens = [AccessToken(Self.secret)].compactMap { $0 }
        }
        #expect(try await opensPrivate(closed, headers: bearer(Self.secret)))
    }
}

/// A wall clock whose time the test sets.
private final class MovingWallClock: WallClock {
    private let seconds = Mutex(1_769_860_800.25)
    var secondsSince1970: Double { seconds.withLock { $0 } }
    func advance(by more: Double) { seconds.withLock { $0 += more } }
}
