import Testing

@testable import RemoteControl

@MainActor @Suite struct RequestGuardTests {
    private func rig() throws -> TestRig {
        try TestRig { $0.requestGuard = RequestGuard(allowedHosts: ["Music.Example"], allowedOrigins: ["https://App.example/"]) }
    }

    @Test(
        "an address, localhost and an allowed name are accepted as Host, with any port",
        arguments: [
            "127.0.0.1:7711", "127.0.0.1", "192.168.1.5:80", "[::1]:7711", "[fe80::1]", "localhost", "LOCALHOST:7711", "music.example",
            "MUSIC.example:99",
        ])
    func hosts(_ host: String) async throws { #expect(try await rig().send("GET", "/api/v1/player", headers: [("Host", host)]).status == 200) }

    @Test(
        "a foreign name is refused as Host, against DNS rebinding",
        arguments: [
            "evil.example", "evil.example:7711", "127.0.0.1.evil.example", "localhost.evil.example", "xmusic.example", "0x7f.1", "2130706433",
            "localhost.",
        ])
    func foreignHosts(_ host: String) async throws {
        let reply = try await rig().send("POST", "/api/v1/player/play", headers: [("Host", host)])
        #expect(reply.status == 403)
        #expect(reply.problem == "forbidden-host")
    }

    @Test(
        "without a token, a Host by which browsers do not tell the page is refused",
        arguments: ["0.0.0.0:7711", "0.0.0.0", "[::]:7711", "[::ffff:127.0.0.1]:7711", "[::ffff:7f00:1]", "[::127.0.0.1]", "192.168.1.5:7711"])
    func indirectHosts(_ host: String) async throws {
        let reply = try await TestRig().send("GET", "/api/v1/assets?url=http://192.168.1.1/", headers: [("Host", host)])
        #expect(reply.status == 403)
        #expect(reply.problem == "forbidden-host")
    }

    @Test("each loopback address is accepted as Host without a token", arguments: ["127.0.0.1:7711", "127.9.9.9", "[::1]:7711", "localhost"])
    func loopbackHosts(_ host: String) async throws {
        #expect(try await TestRig().send("GET", "/api/v1/player", headers: [("Host", host)]).status == 200)
    }

    @Test(
        "a malformed Host is refused",
        arguments: [
            "", " ", ":80", "localhost:", "localhost:x", "localhost:99999999999999999999", "localhost:65536", "[::1", "::1", "[127.0.0.1]", "a b",
            "localhost@evil.example", "127.0.0.1:80:80", "[::1]x", "é",
        ])
    func malformedHosts(_ host: String) async throws {
        let reply = try await rig().send("GET", "/api/v1/player", headers: [("Host", host)])
        #expect(reply.status == 400)
        #expect(reply.problem == "malformed-request")
    }

    @Test("a request without Host or with two is refused")
    func hostCount() async throws {
        let rig = try rig()
        let none = HTTPRequest(method: "GET", path: "/api/v1/player")
        #expect(await rig.respond(to: none).status == 400)
        #expect(await rig.send("GET", "/api/v1/player", headers: [("Host", "localhost"), ("hOST", "localhost")]).status == 400)
    }

    @Test("requests of the server's own pages are accepted")
    func ownOrigin() async throws {
        let rig = try rig()
        for origin in ["http://127.0.0.1:7711", "https://127.0.0.1:7711"] {
            #expect(await rig.send("POST", "/api/v1/player/play", headers: [("Origin", origin), ("Sec-Fetch-Site", "same-origin")]).status == 200)
        }
    }

    @Test(
        "a page of another origin is refused, also on another port of this host, for every method",
        arguments: ["http://evil.example", "http://127.0.0.1:8080", "null", "http://127.0.0.1", "file://", "https://app.example.evil.example", ""])
    func foreignOrigin(_ origin: String) async throws {
        let rig = try rig()
        for method in ["GET", "POST", "OPTIONS", "HEAD"] {
            let reply = await rig.send(method, "/api/v1/player/play", headers: [("Origin", origin)])
            #expect(reply.status == 403)
            #expect(reply.problem == "forbidden-origin")
            #expect(reply.header("Access-Control-Allow-Origin") == nil)
        }
        #expect(rig.player.performed.isEmpty)
    }

    @Test("an Origin equal to a foreign Host is still refused")
    func reboundOrigin() async throws {
        let reply = try await rig().send("POST", "/api/v1/player/play", headers: [("Host", "evil.example"), ("Origin", "http://evil.example")])
        #expect(reply.problem == "forbidden-host")
    }

    @Test(
        "a cross-site form is refused, whatever its encoding",
        arguments: ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"])
    func forms(_ type: String) async throws {
        let rig = try rig()
        let crossSite = await rig.send(
            "POST", "/api/v1/player/play", headers: [("Content-Type", type), ("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site")],
            json: "{\"a\":\"=\"}")
        #expect(crossSite.status == 403)
        // A form of an old browser, which sends neither `Origin` nor fetch metadata, is refused by its content type.
        #expect(await rig.send("POST", "/api/v1/player/play", headers: [("Content-Type", type)], json: "{}").status == 415)
        #expect(await rig.send("POST", "/api/v1/player/play", headers: [("Content-Type", type)]).status == 415)
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a subresource request of another site is refused, and of the same site too", arguments: ["cross-site", "same-site", "strange"])
    func crossSite(_ site: String) async throws {
        let reply = try await rig().send("GET", "/api/v1/library", headers: [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")])
        #expect(reply.status == 403)
        #expect(reply.problem == "cross-site")
    }

    @Test("a link on another site may open only the page")
    func navigation() async throws {
        let rig = try TestRig { $0.web = StaticFiles(["/index.html": StaticFiles.File(contentType: "text/html", bytes: Array("x".utf8))]) }
        let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        #expect(await rig.send("GET", "/", headers: link).status == 200)
        #expect(await rig.send("GET", "/", headers: [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")]).status == 403)
        #expect(await rig.send("GET", "/api/v1/player", headers: link).status == 403)
        #expect(await rig.send("POST", "/", headers: link).status == 403)
    }

    @Test("a page of an allowed origin is accepted and may read the response")
    func allowedOrigin() async throws {
        let rig = try rig()
        let reply = await rig.send("POST", "/api/v1/player/play", headers: [("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site")])
        #expect(reply.status == 200)
        #expect(reply.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(reply.header("Access-Control-Allow-Credentials") == nil)
        #expect(reply.header("Vary") == "Origin")
        let problem = await rig.send("GET", "/nothing", headers: [("Origin", "https://app.example")])
        #expect(problem.header("Access-Control-Allow-Origin") == "https://app.example")
    }

    /// Returns the names in a header field whose value is a list, in lower case.
    private func list(_ field: String?) -> Set<String> { Set((field ?? "").split(separator: ",").map { $0.drop { $0 == " " }.lowercased() }) }

    @Test("a page of an allowed origin may read every header field that the contract names in a response")
    func exposedFields() async throws {
        let reply = try await rig().send("GET", "/api/v1/player", headers: [("Origin", "https://app.example")])
        let contract = Contract.shared
        let responses = contract.operations.flatMap { operation in
            (operation.value["responses"]?.names ?? []).map { contract.resolved(operation.value["responses"]?[$0]) }
        }
        var names = Set(responses.flatMap { $0?["headers"]?.names ?? [] })
        #expect(names.isSuperset(of: ["ETag", "Location", "Retry-After", "WWW-Authenticate"]))
        // Fields that a browser hides from pages or handles itself are not expected. Fields that the contract mentions only in its text are expected
        // too.
        names.subtract(["Set-Cookie", "Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol"])
        names.formUnion(["Allow", "Idempotency-Replayed"])
        #expect(list(reply.header("Access-Control-Expose-Headers")) == Set(names.map { $0.lowercased() }))
    }

    @Test("a page of an allowed origin may send every header field that the contract names in a request")
    func allowedFields() async throws {
        let reply = try await rig().send(
            "OPTIONS", "/api/v1/player", headers: [("Origin", "https://app.example"), ("Access-Control-Request-Method", "PATCH")])
        let parameters = Contract.shared.operations.flatMap { $0.value["parameters"]?.elements.map(Contract.shared.resolved) ?? [] }
        // The fields of a WebSocket handshake are not expected, because the browser sets them, not the page.
        let names = Set(parameters.filter { $0?["in"]?.text == "header" }.compactMap { $0?["name"]?.text?.lowercased() })
            .filter { !$0.hasPrefix("sec-") && $0 != "upgrade" && $0 != "connection" }
        #expect(names.isSuperset(of: ["if-match", "if-none-match", "idempotency-key", "tonearm-client"]))
        #expect(list(reply.header("Access-Control-Allow-Headers")) == names.union(["content-type", "authorization"]))
    }

    @Test("a response to a request without Origin grants no origin")
    func noOrigin() async throws {
        let reply = try await rig().send("GET", "/api/v1/player")
        #expect(reply.header("Access-Control-Allow-Origin") == nil)
        #expect(reply.header("Vary") == "Origin")
    }

    @Test("a preflight of an allowed origin is answered with the methods and the fields")
    func preflight() async throws {
        let reply = try await rig().send(
            "OPTIONS", "/api/v1/player",
            headers: [
                ("Origin", "https://app.example"), ("Access-Control-Request-Method", "PATCH"), ("Access-Control-Request-Private-Network", "true"),
            ])
        #expect(reply.status == 204)
        #expect(reply.header("Access-Control-Allow-Methods") == "GET, PATCH, HEAD, OPTIONS")
        #expect(reply.header("Access-Control-Allow-Headers")?.contains("Content-Type") == true)
        #expect(reply.header("Access-Control-Allow-Private-Network") == "true")
    }

    @Test("a request with two lengths is refused, against request smuggling")
    func smuggling() async throws {
        let rig = try rig()
        for fields in [[("Content-Length", "0"), ("Transfer-Encoding", "chunked")], [("Content-Length", "0"), ("Content-Length", "5")]] {
            let reply = await rig.send("POST", "/api/v1/player/play", headers: fields)
            #expect(reply.problem == "malformed-request")
        }
    }

    @Test("duplicate fetch metadata is refused", arguments: ["Sec-Fetch-Site", "Sec-Fetch-Mode"])
    func fetchMetadataTwice(_ name: String) async throws {
        let rig = try rig()
        for value in ["same-origin", "none", "navigate", "cross-site"] {
            let reply = await rig.send("POST", "/api/v1/player/play", headers: [(name, "none"), (name.lowercased(), value)])
            #expect(reply.status == 400)
            #expect(reply.problem == "malformed-request")
        }
        #expect(rig.player.performed.isEmpty)
    }

    @Test("every response, including problems, has the security fields")
    func securityFields() async throws {
        let rig = try rig()
        for target in ["/api/v1/player", "/nothing", "/healthz", "/openapi.yaml"] {
            let reply = await rig.send("GET", target)
            #expect(reply.header("X-Content-Type-Options") == "nosniff")
            #expect(reply.header("Referrer-Policy") == "no-referrer")
            #expect(reply.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            #expect(reply.header("X-Frame-Options") == "DENY")
        }
    }

    @Test("a forbidden request is refused before its body is read")
    func early() throws {
        let rig = try rig()
        let request = TestRig.request("POST", "/api/v1/player/play", headers: [("Origin", "http://evil.example")])
        #expect(rig.api.precheck(request, contentLength: 10)?.status == 403)
    }
}
