import Testing

@testable import RemoteControl

/// Tests of the routes at which the server describes itself and its API.
@MainActor @Suite struct ServiceRouteTests {
    private static let description = APIDescription(
        yaml: Array("servers:\n  - url: http://127.0.0.1:7711\n".utf8), json: Array(#"{"servers":[{"url":"http://127.0.0.1:7711"}]}"#.utf8))

    @Test("the server states its name, id, version and capabilities without a token")
    func server() async throws {
        let home = try TemporaryDirectory()
        let token = try #require(AccessToken("a-secret-of-sixteen-bytes"))
        let rig = try TestRig {
            $0.information = ServerInformation(name: "Kitchen", id: "k1", version: "9.8")
            $0.tokens = [token]
            $0.media = try PathConfinement(roots: [home.path])
        }
        let reply = await rig.send("GET", "/api/v1")
        #expect(reply.status == 200)
        #expect(reply.json?["name"]?.text == "Kitchen")
        #expect(reply.json?["id"]?.text == "k1")
        #expect(reply.json?["version"]?.text == "9.8")
        #expect(reply.json?["capabilities"]?.elements.compactMap({ $0.text }) == ["library", "authentication"])
    }

    @Test("both forms of the contract name the address at which they were requested", arguments: ["/openapi.yaml", "/openapi.json"])
    func address(_ path: String) async throws {
        let rig = try TestRig {
            $0.description = Self.description
            $0.requestGuard = RequestGuard(allowedHosts: ["music.local"], allowedOrigins: [])
        }
        for host in ["music.local", "music.local:8080", "127.0.0.1:7711", "[::1]:7711"] {
            let reply = await rig.send("GET", path, headers: [("Host", host)])
            #expect(reply.status == 200)
            #expect(reply.text.contains("http://" + host))
        }
    }

    @Test("the tags of the contract at two addresses differ, and each gives 304 at its own address")
    func tags() async throws {
        let rig = try TestRig {
            $0.description = Self.description
            $0.requestGuard = RequestGuard(allowedHosts: ["music.local"], allowedOrigins: [])
        }
        let tags = await [
            rig.send("GET", "/openapi.json", headers: [("Host", "music.local")]), rig.send("GET", "/openapi.json", headers: [("Host", "127.0.0.1")]),
        ].compactMap { $0.header("ETag") }
        #expect(Set(tags).count == 2)
        #expect(await rig.send("GET", "/openapi.json", headers: [("Host", "music.local"), ("If-None-Match", tags[0])]).status == 304)
        #expect(await rig.send("GET", "/openapi.json", headers: [("Host", "music.local"), ("If-None-Match", tags[1])]).status == 200)
    }

    @Test("a host with other characters or of excessive length is not written into the contract")
    func strangeHosts() {
        for host in ["a\"b", "a b", "a/b", "\u{e9}", String(repeating: "a", count: 300)] {
            #expect(APIDescription.addressed(Self.description.json, host: host) == Self.description.json)
        }
    }
}
