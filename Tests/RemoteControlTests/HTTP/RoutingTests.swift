import Testing

@testable import RemoteControl

@MainActor @Suite struct RoutingTests {
    private func rig() throws -> TestRig {
        try TestRig {
            $0.web = StaticFiles([
                "/index.html": StaticFiles.File(contentType: "text/html; charset=utf-8", bytes: Array("<!doctype html>".utf8)),
                "/js/main.js": StaticFiles.File(contentType: "text/javascript; charset=utf-8", bytes: Array("1".utf8)),
            ])
        }
    }

    @Test(
        "an unknown path gives a 404 problem",
        arguments: [
            "/nothing", "/api", "/api/v1/", "/api/v1/player/", "/api/v2/player", "//", "/API/v1/player", "/api/v1/%70layer", "/js", "/js/",
        ])
    func notFound(_ path: String) async throws {
        for method in ["GET", "POST", "FOO", "OPTIONS"] {
            let reply = try await rig().send(method, path)
            #expect(reply.status == 404)
            #expect(reply.problem == "not-found")
        }
    }

    @Test("a variable part of a path has at most 256 bytes")
    func longVariable() async throws {
        let rig = try rig()
        let marks = String(repeating: "%CC%81", count: 128)
        #expect(await rig.send("DELETE", "/api/v1/queue/\(marks)").problem != "not-found")
        #expect(await rig.send("DELETE", "/api/v1/queue/\(marks)x").problem == "not-found")
    }

    @Test("an unsupported method gives a 405 problem with Allow")
    func methodNotAllowed() async throws {
        let rig = try rig()
        for (method, path, allow) in [
            ("DELETE", "/api/v1/player", "GET, PATCH, HEAD, OPTIONS"), ("GET", "/api/v1/player/play", "POST, OPTIONS"),
            ("POST", "/", "GET, HEAD, OPTIONS"),
            ("TRACE", "/healthz", "GET, HEAD, OPTIONS"), ("get", "/healthz", "GET, HEAD, OPTIONS"),
            ("PUT", "/api/v1/items/x/artwork", "GET, HEAD, OPTIONS"),
            ("POST", "/js/main.js", "GET, HEAD, OPTIONS"),
        ] {
            let reply = await rig.send(method, path)
            #expect(reply.status == 405, "\(method) \(path)")
            #expect(reply.problem == "method-not-allowed")
            #expect(reply.header("Allow") == allow)
        }
    }

    @Test("OPTIONS returns the methods of every path")
    func options() async throws {
        let rig = try rig()
        for route in rig.api.routes {
            let reply = await rig.send("OPTIONS", route.template == "/api/v1/items/{id}/artwork" ? "/api/v1/items/x/artwork" : route.template)
            #expect(reply.status == 204)
            #expect(reply.header("Allow")?.contains(route.method) == true)
        }
        #expect(await rig.send("OPTIONS", "/js/main.js").header("Allow") == "GET, HEAD, OPTIONS")
    }

    @Test("HEAD gives the response of GET, whose body the server omits")
    func head() async throws {
        let rig = try rig()
        for path in ["/api/v1/player", "/openapi.yaml", "/", "/js/main.js"] {
            let head = await rig.send("HEAD", path)
            let get = await rig.send("GET", path)
            #expect(head.status == get.status)
            #expect(head.body == get.body)
            #expect(head.headers.map(\.name) == get.headers.map(\.name))
        }
        let events = await rig.respond(to: TestRig.request("HEAD", "/api/v1/events?tick=1"))
        #expect(events.status == 200)
        #expect(events.headers.contains { $0 == ("Content-Type", "text/event-stream") })
    }

    @Test(
        "a malformed path or query is refused",
        arguments: ["", "*", "x", "/%", "/%zz", "/%00", "/%ff", "http://127.0.0.1/", "/healthz?%", "/healthz?a=%zz", "/healthz?x=%00"])
    func malformed(_ target: String) async throws {
        let reply = try await rig().send("GET", target)
        #expect(reply.status == 400)
        #expect(reply.problem == "malformed-request")
    }

    @Test("an unknown or duplicate query parameter is refused")
    func parameters() async throws {
        let rig = try rig()
        let unknown = await rig.send("GET", "/api/v1/player?wiat=3")
        #expect(unknown.problem == "unknown-parameter")
        #expect(unknown.json?["parameter"]?.text == "wiat")
        #expect(await rig.send("GET", "/api/v1/player?wait=0&wait=1").problem == "invalid-parameter")
        #expect(await rig.send("GET", "/api/v1/player?").status == 200)
        #expect(await rig.send("GET", "/?source=shortcut").status == 200)
    }

    @Test("a body is accepted only as application/json in UTF-8")
    func contentType() async throws {
        let rig = try rig()
        for type in [
            "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "application/json;",
        ] {
            #expect(await rig.send("PATCH", "/api/v1/player", headers: [("Content-Type", type)], json: "{}").status == 200, "\(type)")
        }
        for type in [
            "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/jsonp", "text/json", "",
            "application/json, text/plain",
        ] {
            #expect(
                await rig.send("PATCH", "/api/v1/player", headers: [("Content-Type", type)], json: "{}").problem == "unsupported-media-type",
                "\(type)")
        }
        let untyped = HTTPRequest(method: "PATCH", path: "/api/v1/player", headers: [("Host", "localhost")], body: Array("{}".utf8))
        #expect(await rig.respond(to: untyped).status == 415)
        #expect(
            await rig.send("PATCH", "/api/v1/player", headers: [("Content-Type", "application/json"), ("content-type", "text/plain")], json: "{}")
                .status == 400)
    }

    @Test("a missing required body and an unexpected body are refused")
    func bodies() async throws {
        let rig = try rig()
        let empty = await rig.send("PATCH", "/api/v1/player")
        #expect(empty.problem == "malformed-json")
        #expect(empty.json?["detail"]?.text == "This request requires a JSON object as its body.")
        #expect(await rig.send("GET", "/api/v1/player", json: "{}").problem == "unexpected-body")
        #expect(await rig.send("DELETE", "/api/v1/queue", json: "{}").problem == "unexpected-body")
    }

    @Test("null is no body where a body is optional, and is refused where a body is required")
    func nullBody() async throws {
        let rig = try rig()
        for path in ["player/play", "player/pause", "player/toggle"] {
            #expect(await rig.send("POST", "/api/v1/" + path, json: "null\n").status == 200)
        }
        #expect(await rig.send("PATCH", "/api/v1/player", json: "null").problem == "wrong-type")
        #expect(await rig.send("POST", "/api/v1/player/play", json: "7").problem == "wrong-type")
    }

    @Test("a body of more than 1 MiB is refused before it is read")
    func largeBody() async throws {
        let rig = try rig()
        let request = TestRig.request("PATCH", "/api/v1/player", headers: [("Content-Type", "application/json")])
        #expect(rig.api.precheck(request, contentLength: 10_000_000)?.status == 413)
        #expect(rig.api.precheck(request, contentLength: 1 << 20) == nil)
        let reply = await rig.send("PATCH", "/api/v1/player", json: String(repeating: " ", count: 1 << 20) + "{}")
        #expect(reply.problem == "body-too-large")
        #expect(await rig.send("PATCH", "/api/v1/player", json: String(repeating: " ", count: (1 << 20) - 2) + "{}").status == 200)
    }

    @Test("the body of a token exchange has at most 1 KiB, and a larger one is refused before it is read")
    func sessionBody() throws {
        let api = try rig().api
        let request = TestRig.request("POST", "/api/v1/login", headers: [("Content-Type", "application/json")])
        #expect(api.precheck(request, contentLength: 1024) == nil)
        #expect(api.precheck(request, contentLength: 1025)?.status == 413)
    }

    @Test("a parameter's name has at most 64 bytes")
    func parameterName() async throws {
        let rig = try rig()
        #expect(await rig.send("GET", "/api/v1/player?" + String(repeating: "a", count: 65) + "=1").problem == "unknown-parameter")
        #expect(await rig.send("GET", "/api/v1/player?" + String(repeating: "%CC%81", count: 33) + "=1").problem == "unknown-parameter")
    }

    @Test("faults in method, path and headers are reported before the body is read")
    func precheck() throws {
        let api = try rig().api
        func status(_ method: String, _ path: String, _ headers: [(String, String)] = []) -> Int? {
            api.precheck(TestRig.request(method, path, headers: headers), contentLength: 2)?.status
        }
        #expect(status("POST", "/nothing") == 404)
        #expect(status("POST", "/api/v1/player") == 405)
        #expect(status("PATCH", "/api/v1/player", [("Content-Type", "text/plain")]) == 415)
        #expect(status("PATCH", "/api/v1/player") == 415)
        #expect(status("GET", "/api/v1/player") == 400)
        #expect(status("PATCH", "/api/v1/player", [("Content-Type", "application/json")]) == nil)
        #expect(api.precheck(TestRig.request("POST", "/api/v1/player/play"), contentLength: 0) == nil)
    }

    @Test("health and readiness are reported, with the reason if not ready")
    func service() async throws {
        #expect(try await rig().send("GET", "/healthz").text == #"{"status":"ok"}"#)
        #expect(try await rig().send("GET", "/readyz").status == 200)
        let reply = try await TestRig { $0.readiness = { "No audio output could be opened." } }.send("GET", "/readyz")
        #expect(reply.status == 503)
        #expect(reply.problem == "not-ready")
        #expect(reply.json?["detail"]?.text == "No audio output could be opened.")
    }

    @Test("the contract is served unchanged, with a tag")
    func contract() async throws {
        let rig = try rig()
        let reply = await rig.send("GET", "/openapi.yaml")
        #expect(reply.body == Contract.text)
        #expect(!reply.body.isEmpty)
        #expect(await rig.send("GET", "/openapi.yaml", headers: [("If-None-Match", reply.header("ETag") ?? "")]).status == 304)
    }
}
