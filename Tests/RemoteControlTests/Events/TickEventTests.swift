import PlaybackEngine
import PlaybackTesting
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the events that a client asks for: ticks.
@MainActor @Suite struct TickEventTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    @Test("the player is not observed without a subscriber, and once for each interval; the observer is removed with its last subscriber")
    func tickDemand() async throws {
        _ = try await rig.events()
        #expect(rig.player.observers.isEmpty)
        var clients: [TestStream?] = []
        for query in ["?tick=0.5", "?tick=0.5", "?tick=0.50", "?tick=1"] { clients.append(try await rig.events(query)) }
        #expect(rig.player.observers.map(\.interval) == [0.5, 1])
        for client in clients.prefix(3) { client?.stream.close() }
        clients.replaceSubrange(0..<3, with: [nil, nil, nil])
        rig.time.run()
        #expect(rig.player.observers.map(\.interval) == [1])
    }

    @Test("a tick is sent to its subscribers, without id, with the time that the listener hears")
    func tick() async throws {
        let half = try await rig.events("?tick=0.5")
        let one = try await rig.events("?tick=1")
        let none = try await rig.events()
        _ = (half.read(), one.read(), none.read())
        let wakes = none.wakeCount
        rig.tick(0.5, PlayerTime(currentTime: 12.5, rate: 1, hostTime: 8123.5))
        let events = half.read()
        #expect(events.map(\.name) == ["tick"])
        #expect(events.first?.id == nil)
        #expect(events.first?.data == (try JSONParser.parse(Array(#"{"currentTime":12.5,"rate":1,"hostTime":8123.5}"#.utf8))))
        #expect(one.read().isEmpty)
        #expect(none.read().isEmpty)
        #expect(none.wakeCount == wakes)
    }

    @Test("ticks keep their order among the events, so that a client's time never goes back")
    func tickOrder() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        rig.tick(0.5, PlayerTime(currentTime: 10, rate: 1, hostTime: 1))
        rig.player.emit(.timeJumped(itemID: "e1", time: 2))
        rig.player.change { $0.anchor.time = 2 }
        #expect(client.read().map(\.name) == ["tick", "timeJumped", "state"])
        rig.player.change { $0.anchor.time = 3 }
        rig.tick(0.5, PlayerTime(currentTime: 3, rate: 1, hostTime: 2))
        #expect(client.read().map(\.name) == ["state", "tick"])
    }

    @Test("after a change of the anchor a tick follows the state, and only then")
    func tickAtAnchor() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        rig.player.heard.withLock { $0 = PlayerTime(currentTime: 7.5, rate: 0, hostTime: 3) }
        rig.player.change { $0.anchor = PlayerState.Anchor(time: 7.5, hostTime: 3, rate: 0) }
        rig.time.run()
        let events = client.read()
        #expect(events.map(\.name) == ["state", "tick"])
        #expect(events.last?.data["rate"]?.double == 0)
        #expect(events.last?.data["currentTime"]?.double == 7.5)
        rig.player.change { $0.volume = 0.5 }
        rig.time.run()
        #expect(client.read().map(\.name) == ["state"])
    }

    @Test("a tick follows the jump and the state of the same turn, and has the time heard then")
    func tickAfterJump() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        // The fake player does not publish its state at once, but at the end of the turn, as the real player does.
        rig.player.publishesLater = true
        rig.player.tick(0.5, PlayerTime(currentTime: 2, rate: 1, hostTime: 1))
        rig.player.emit(.timeJumped(itemID: "e1", time: 2))
        rig.player.change { $0.anchor.time = 2 }
        rig.player.heard.withLock { $0.currentTime = 2.25 }
        rig.time.run()
        #expect(client.read().map(\.name) == ["timeJumped"])
        rig.player.publish()
        let events = client.read()
        #expect(events.map(\.name) == ["state", "tick"])
        #expect(events.last?.data["currentTime"]?.double == 2.25)
    }

    @Test("a slow client receives only the newest tick, and none from before its coalesced state")
    func tickCoalescing() async throws {
        var limits = EventBroadcast.Limits()
        limits.backlog = 2
        let rig = try TestRig(limits: limits)
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        for time in 1...5 { rig.tick(0.5, PlayerTime(currentTime: Double(time), rate: 1, hostTime: 1)) }
        #expect(client.read().map { $0.data["currentTime"]?.double } == [5])
        rig.tick(0.5, PlayerTime(currentTime: 6, rate: 1, hostTime: 1))
        for index in 1...5 { rig.player.change { $0.anchor.time = Double(index) } }
        #expect(client.read().map(\.name) == ["state"])
        rig.tick(0.5, PlayerTime(currentTime: 7, rate: 1, hostTime: 1))
        #expect(client.read().map(\.name) == ["tick"])
    }

    @Test("a tick is never replayed to a new client")
    func tickNotReplayed() async throws {
        let first = try await rig.events("?tick=0.5")
        _ = first.read()
        rig.tick(0.5, PlayerTime(currentTime: 5, rate: 1, hostTime: 1))
        #expect(try await rig.events("?tick=0.5").read().map(\.name) == ["state"])
    }

    @Test("an invalid interval is refused", arguments: ["0.09", "0", "-1", "3601", "x", "", "NaN", "1e400", "0,5"])
    func badTick(_ text: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?tick=" + text)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "tick")
    }

    @Test("the number of different intervals is limited, the number of their subscribers is not")
    func tickLimit() async throws {
        var limits = EventBroadcast.Limits()
        limits.watches = 2
        let rig = try TestRig(limits: limits)
        var clients = [try await rig.events("?tick=1"), try await rig.events("?tick=2"), try await rig.events("?tick=2")]
        let refused = await rig.send("GET", "/api/v1/events?tick=3")
        #expect(refused.status == 429)
        #expect(refused.problem == "too-many-intervals")
        clients.removeFirst().stream.close()
        clients.append(try await rig.events("?tick=3"))
        rig.time.run()
        #expect(rig.player.observers.map(\.interval).sorted() == [2, 3])
    }

    @Test("a remote address has a limited share of the intervals; clients of this machine have no such share")
    func tickLimitOfAddress() async throws {
        var limits = EventBroadcast.Limits()
        limits.watchesOfAddress = 2
        let rig = try TestRig(limits: limits)
        let broadcast = rig.broadcast
        let phone = HTTPPeer(address: "192.168.0.7", isLoopback: false)
        func lease(_ seconds: Double, _ peer: HTTPPeer) throws -> WatchLease? {
            broadcast.lease(.tick(try #require(TickInterval(seconds: seconds))), for: peer)
        }
        let other = try lease(9, HTTPPeer(address: "192.168.0.8", isLoopback: false))
        var leases = [try lease(1, phone), try lease(2, phone), try lease(2, phone)]
        #expect(leases.allSatisfy { $0 != nil } && other != nil)
        #expect(try lease(3, phone) == nil)
        #expect(try lease(9, phone) == nil, "although another address has it")
        for interval in 1...10 { #expect(try lease(Double(interval), .loopback) != nil) }
        leases.removeLast()
        #expect(try lease(3, phone) == nil, "the second client still has it")
        leases.removeLast()
        #expect(try lease(3, phone) != nil)
        let reply = Reply(await rig.respond(to: TestRig.request("GET", "/api/v1/events?tick=1", peer: phone)))
        #expect(reply.status == 200)
    }

    @Test("a stream that is never opened leaves no observer or stream in the broadcast")
    func neverOpened() async throws {
        do {
            let response = await rig.respond(to: TestRig.request("GET", "/api/v1/events?tick=1"))
            guard case .events = response.body else { Issue.record("no stream"); return }
        }
        rig.time.run()
        #expect(rig.player.observers.isEmpty)
        #expect(rig.broadcast.streamCount == 0)
        #expect(rig.broadcast.wantedWatches.isEmpty)
    }
}
