import Playlist
import Testing

@testable import RemoteControl

/// `If-Match`: of several changes based on one state, exactly one is performed.
@MainActor @Suite struct PreconditionTests {
    private nonisolated static let clients = 12

    @Test(
        "of several concurrent changes with one ETag exactly one is performed, even if each has to look up a file first",
        arguments: [
            ("PUT", "/api/v1/player/item", #"{"url":"file://ROOT/a.flac","title":"NUMBER"}"#),
            ("PATCH", "/api/v1/player", #"{"volume":0.NUMBER}"#), ("POST", "/api/v1/player/toggle", "{}"),
            ("PUT", "/api/v1/sleep-timer", #"{"seconds":NUMBER}"#),
        ])
    func oneWinner(_ method: String, _ path: String, _ body: String) async throws {
        let home = try TemporaryDirectory()
        try home.file("a.flac")
        let rig = try TestRig { $0.media = try PathConfinement(roots: [home.path]) }
        let volume = rig.player.state.volume
        // A change that is not published yet: requests with If-Match wait until it is.
        rig.player.publishesLater = true
        rig.player.change { $0.volume = 0.005 }
        async let statuses = withTaskGroup(of: Int.self) { group in
            for number in 10..<(10 + Self.clients) {
                let json = body.replacing("ROOT", with: home.path).replacing("NUMBER", with: "\(number)")
                group.addTask { await rig.send(method, path, headers: [("If-Match", "\"e0:1\"")], json: json).status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await rig.until { rig.player.followerCount == Self.clients }
        // The change is reverted, so that every If-Match is current. All requests then continue in one turn, each as far as it can.
        rig.player.publishesLater = false
        rig.player.change { $0.volume = volume }
        rig.time.run()
        let answers = await statuses
        #expect(answers.count { $0 < 300 } == 1, "\(answers)")
        #expect(answers.count { $0 == 412 } == Self.clients - 1, "\(answers)")
        #expect(rig.player.performed.count == 1)
    }
}
