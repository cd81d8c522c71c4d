import Player
import Testing

@testable import RemoteControl

/// Checks that the head of a request alone decides whether the request is admitted. Of an admitted request the server reads only the body.
@MainActor @Suite struct AdmissionTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private func admitted(_ request: HTTPRequest, contentLength: Int) throws -> any AdmittedRequest {
        guard case .admitted(let admitted) = rig.api.admit(request, contentLength: contentLength) else { throw TestRig.NoStream() }
        return admitted
    }

    private func answer(_ admitted: any AdmittedRequest, _ body: String) async -> Reply {
        await Reply(
            withCheckedContinuation { continuation in
                let response = admitted.respond(body: Array(body.utf8)) { continuation.resume(returning: $0) }
                if let response { continuation.resume(returning: response) }
            })
    }

    private static func update(_ body: String) -> HTTPRequest {
        TestRig.request("PATCH", "/api/v1/player", headers: [("Content-Type", "application/json")], json: body)
    }

    @Test("an admitted request is carried out with the body that follows, and not with one that came with its head")
    func body() async throws {
        let body = #"{"volume":0.25}"#
        let reply = await answer(try admitted(Self.update(#"{"volume":0.75}"#), contentLength: body.utf8.count), body)
        #expect(reply.status == 200)
        #expect(rig.player.performed.count == 1)
        #expect(rig.player.state.volume == 0.25)
    }

    @Test("a body of another length than was admitted is refused", arguments: ["", "{}", #"{"volume":0.25} "#])
    func otherLength(_ body: String) async throws {
        let reply = await answer(try admitted(Self.update(""), contentLength: 15), body)
        #expect(reply.status == 400)
        #expect(reply.problem == "malformed-request")
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a body that was not announced is refused, also for a file and for OPTIONS")
    func unannounced() async throws {
        for (method, path) in [("POST", "/api/v1/player/play"), ("GET", "/api/v1/player"), ("OPTIONS", "/api/v1/player"), ("GET", "/healthz")] {
            let reply = await answer(try admitted(TestRig.request(method, path), contentLength: 0), "{}")
            #expect(reply.status == 400, "\(method) \(path)")
        }
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a wrong token with a body counts as one failure")
    func oneFailure() async throws {
        let rig = try TestRig { $0.tokens = [AccessToken("the-token-of-these-tests")].compactMap { $0 } }
        let phone = HTTPPeer(address: "192.168.1.20", isLoopback: false)
        var statuses: [Int] = []
        for _ in 0...FailureLimiter.burst {
            statuses.append(
                await rig.send(
                    "PATCH", "/api/v1/player", headers: [("Authorization", "Bearer wrong-wrong-wrong-wrong")], json: #"{"volume":0.5}"#, peer: phone
                ).status)
        }
        #expect(statuses == Array(repeating: 401, count: FailureLimiter.burst) + [429])
    }

    @Test("the server's own refusals have the security fields")
    func refusals() {
        let reply = Reply(rig.api.response(refusing: Problem(.lengthRequired, "d")))
        #expect(reply.status == 411)
        #expect(reply.problem == "length-required")
        #expect(reply.json?["detail"]?.text == "d")
        #expect(reply.header("X-Content-Type-Options") == "nosniff")
    }
}
