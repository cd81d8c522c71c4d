import Player
import Testing

@testable import RemoteControl

@MainActor @Suite struct LongPollTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private func poll(_ wait: String, _ tag: String = "\"player:e0:1\"") async -> Reply {
        await rig.send("GET", "/api/v1/player?wait=" + wait, headers: [("If-None-Match", tag)])
    }

    @Test("a long poll answers as soon as the revision changes")
    func change() async throws {
        async let reply = poll("30")
        await rig.until { rig.time.timerCount == 1 }
        rig.player.change { $0.volume = 0.5 }
        #expect(await reply.status == 200)
        #expect(await reply.json?["revision"]?.double == 2)
        #expect(rig.time.timerCount == 0)
    }

    @Test("a long poll answers 304 after its time-out")
    func timeOut() async throws {
        async let reply = poll("30")
        await rig.until { rig.time.timerCount == 1 }
        rig.time.advance(by: 29.9)
        #expect(rig.time.timerCount == 1)
        rig.time.advance(by: 0.2)
        #expect(await reply.status == 304)
    }

    @Test("a tag of another revision or epoch is answered at once", arguments: ["\"player:e0:0\"", "\"player:e9:1\"", "\"x\""])
    func otherTag(_ tag: String) async throws { #expect(await poll("30", tag).status == 200) }

    @Test("a request without If-None-Match does not wait")
    func noTag() async throws { #expect(await rig.send("GET", "/api/v1/player?wait=30").status == 200) }

    @Test("a wait of 0 s gives 304 at once")
    func zero() async throws { #expect(await poll("0").status == 304) }

    @Test("one change answers all waiting polls")
    func many() async throws {
        let polls = (0..<50).map { _ in Task { await poll("30").status } }
        await rig.until { rig.time.timerCount == 50 }
        rig.player.change { $0.isMuted = true }
        for poll in polls { #expect(await poll.value == 200) }
    }

    @Test("closing the API answers all waiting polls")
    func close() async throws {
        async let reply = poll("30")
        await rig.until { rig.time.timerCount == 1 }
        rig.api.close()
        #expect(await reply.status == 304)
        #expect(await poll("30").status == 304)
    }

    @Test("the server's own limit shortens every wait")
    func limit() async throws {
        let rig = try TestRig { $0.maximumWait = 1 }
        async let reply = rig.send("GET", "/api/v1/player?wait=30", headers: [("If-None-Match", "*")])
        await rig.until { rig.time.timerCount == 1 }
        rig.time.advance(by: 1)
        #expect(await reply.status == 304)
    }
}
