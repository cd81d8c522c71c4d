import AVFoundation
import PlaybackEngine
import PlaybackTesting
import Player
import Testing

@testable import RemoteControl

/// Tests of the API's event stream (server-sent events).
@MainActor @Suite struct EventStreamTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    // MARK: Connection and replay

    @Test("a new client first receives the complete state with the current id")
    func snapshot() async throws {
        rig.setVolume(0.5)
        let events = try await rig.events().read()
        #expect(events.count == 1)
        #expect(events.first?.name == "state")
        #expect(events.first?.id == "e0:1")
        #expect(events.first?.retry == "1000")
        #expect(events.first?.data["volume"]?.double == 0.5)
        #expect(events.first?.data["revision"]?.double == 2)
        #expect(events.first?.data["changed"]?.elements.isEmpty == true)
        #expect(events.first?.data["hostTime"]?.double == 8000)
        #expect(events.first?.data["resync"] == nil)
        #expect(events.first?.data["coalesced"] == nil)
    }

    @Test("before the first event the snapshot has the id 0, from which a replay is complete")
    func firstID() async throws {
        #expect(try await rig.events().read().first?.id == "e0:0")
        rig.setVolume(0.5)
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:0")]).read().map(\.id) == ["e0:1"])
    }

    @Test("the snapshot has the state at the time when it is read")
    func lateSnapshot() async throws {
        let client = try await rig.events()
        rig.setVolume(0.5)
        rig.time.advance(by: 1)
        let events = client.read()
        #expect(events.map(\.id) == ["e0:1"])
        #expect(events.first?.data["volume"]?.double == 0.5)
        #expect(events.first?.data["hostTime"]?.double == 8001)
    }

    @Test("with a Last-Event-ID that is still in the log, a client receives only the missed events, in order, and no snapshot")
    func replay() async throws {
        for volume in [0.1, 0.2, 0.3] { rig.setVolume(volume) }
        let events = try await rig.events(headers: [("Last-Event-ID", "e0:1")]).read()
        #expect(events.map(\.id) == ["e0:2", "e0:3"])
        #expect(events.map { $0.data["volume"]?.double } == [0.2, 0.3])
        #expect(events.allSatisfy { $0.data["resync"] == nil })
    }

    @Test("a client that missed no event receives nothing until the next event")
    func replayNothing() async throws {
        rig.setVolume(0.1)
        let client = try await rig.events(headers: [("Last-Event-ID", "e0:1")])
        #expect(client.read().isEmpty)
        rig.setVolume(0.2)
        #expect(client.read().map(\.id) == ["e0:2"])
    }

    @Test(
        "any other Last-Event-ID gives a state with resync",
        arguments: ["e0:99", "e9:1", "e0:-1", "e0:x", "e0:", "e0", "1", ":", "e0:1 ", "e0:99999999999999999999", "\u{FFFD}"])
    func resync(_ id: String) async throws {
        rig.setVolume(0.1)
        let events = try await rig.events(headers: [("Last-Event-ID", id)]).read()
        #expect(events.count == 1)
        #expect(events.first?.name == "state")
        #expect(events.first?.id == "e0:1")
        #expect(events.first?.data["resync"]?.bool == true)
    }

    @Test("an id that is no longer in the log gives a state with resync")
    func forgotten() async throws {
        var limits = EventBroadcast.Limits()
        limits.log.events = 4
        let rig = try TestRig(limits: limits)
        for volume in 1...10 { rig.player.change { $0.volume = Double(volume) / 100 } }
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:6")]).read().map(\.id) == ["e0:7", "e0:8", "e0:9", "e0:10"])
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:5")]).read().map(\.data["resync"]?.bool) == [true])
    }

    @Test("lastEventId in the query has the same effect; the header field takes precedence; an empty value is ignored")
    func queryID() async throws {
        for volume in [0.1, 0.2, 0.3] { rig.setVolume(volume) }
        #expect(try await rig.events("?lastEventId=e0:2").read().map(\.id) == ["e0:3"])
        #expect(try await rig.events("?lastEventId=e0%3A2", headers: [("Last-Event-ID", "e0:1")]).read().map(\.id) == ["e0:2", "e0:3"])
        #expect(try await rig.events("?lastEventId=").read().map(\.data["resync"]?.bool) == [nil])
    }

    @Test("the response is an event stream that is not cached or buffered")
    func headers() async throws {
        let response = await rig.respond(to: TestRig.request("GET", "/api/v1/events"))
        let reply = Reply(response)
        #expect(reply.status == 200)
        #expect(reply.header("Content-Type") == "text/event-stream")
        #expect(reply.header("Cache-Control") == "no-store")
        #expect(reply.header("X-Accel-Buffering") == "no")
    }

    // MARK: Numbered events

    @Test("each revision gives exactly one state event, with the names of the changed members")
    func states() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.change { $0.volume = 0.5 }
        rig.player.change { $0.volume = 0.5 }
        rig.player.change {
            $0.anchor.time = 3
            $0.rate = 1
            $0.timeControlStatus = .playing
        }
        let events = client.read()
        #expect(events.map(\.name) == ["state", "state"])
        #expect(events.map { $0.data["revision"]?.double } == [2, 3])
        #expect(events.map { $0.data["changed"]?.elements.compactMap(\.text) ?? [] } == [["volume"], ["rate", "timeControlStatus", "anchor"]])
        #expect(events.allSatisfy { $0.retry == nil })
    }

    @Test("setting and removing the current item are changes of currentItem")
    func itemChange() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a") }
        rig.player.change { $0.currentItem = nil }
        #expect(client.read().map { $0.data["changed"]?.elements.compactMap(\.text) ?? [] } == [["currentItem"], ["currentItem"]])
    }

    @Test("each player event has its type, its data and a host time, and precedes the state that shows it")
    func playerEvents() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.time.advance(by: 2)
        rig.player.emit(.rateDidChange(rate: 1.5, reason: .setRateCalled, origin: "kitchen"))
        rig.player.change { $0.rate = 1.5 }
        rig.player.emit(.timeJumped(itemID: "e1", time: 42.5))
        rig.player.emit(.didPlayToEndTime(itemID: "e1"))
        rig.player.emit(.failedToPlayToEndTime(itemID: "e2", PlayerState.Failure(code: .network, message: "m")))
        rig.player.emit(.playbackStalled(itemID: "e3"))
        let events = client.read()
        #expect(events.map(\.name) == ["rateDidChange", "state", "timeJumped", "didPlayToEndTime", "failedToPlayToEndTime", "playbackStalled"])
        #expect(events.map(\.sequence) == [1, 2, 3, 4, 5, 6])
        #expect(events.allSatisfy { $0.data["hostTime"]?.double == 8002 })
        #expect(events[0].data["rate"]?.double == 1.5)
        #expect(events[0].data["reason"]?.text == "setRateCalled")
        #expect(events[0].data["origin"]?.text == "kitchen")
        #expect(events[2].data["time"]?.double == 42.5)
        #expect(events[4].data["error"]?["code"]?.text == "network")
        #expect(events.map { $0.data["itemId"]?.text } == [nil, nil, "e1", "e1", "e2", "e3"])
    }

    @Test("metadata, interruption and route events are numbered, have their data, and are replayed")
    func sessionEvents() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.emit(
            .metadataDidChange(PlayerState.Item(id: "e1", url: "file:///a", title: "Song", artist: "Somebody", album: "Songs", hasArtwork: true)))
        rig.player.emit(.metadataDidChange(PlayerState.Item(id: "e2", url: "file:///b")))
        rig.player.emit(.interruption(.began(reason: .routeDisconnected)))
        rig.player.emit(.interruption(.ended(shouldResume: true)))
        let speaker = AudioSessionState.Port(portType: "Speaker", portName: "Built-in", uid: "s")
        rig.player.emit(.routeDidChange(AudioSessionState.RouteChange(reason: .override, outputs: [speaker], previousOutputs: [])))
        let events = client.read()
        #expect(events.map(\.name) == ["metadata", "metadata", "interruption", "interruption", "routeChange"])
        #expect(events.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(events.allSatisfy { $0.data["hostTime"]?.double == 8000 })
        for event in events { #expect(Contract.shared.errors(event.data, Contract.shared.events?[event.name], at: "") == [], "\(event.name)") }
        #expect(events[0].data.names == ["itemId", "title", "artist", "album", "hasArtwork", "hostTime"])
        #expect(events[0].data["artist"]?.text == "Somebody" && events[0].data["hasArtwork"]?.bool == true)
        #expect(events[1].data.names == ["itemId", "hasArtwork", "hostTime"])
        #expect(events[2].data["type"]?.text == "began" && events[2].data["reason"]?.text == "routeDisconnected")
        #expect(events[3].data["type"]?.text == "ended" && events[3].data["shouldResume"]?.bool == true && events[3].data["reason"] == nil)
        #expect(events[4].data["reason"]?.text == "override")
        #expect(events[4].data["currentRoute"]?["outputs"]?[0]?["portType"]?.text == "Speaker")
        #expect(events[4].data["previousRoute"]?["outputs"]?.elements.isEmpty == true)
        let replayed = try await rig.events(headers: [("Last-Event-ID", "e0:2")]).read()
        #expect(replayed == Array(events[2...]))
    }

    @Test("a command over HTTP gives every client the same single rateDidChange with the name of its sender")
    func command() async throws {
        let clients = [try await rig.events(), try await rig.events()]
        for client in clients { _ = client.read() }
        _ = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Client", "kitchen")])
        _ = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Client", "kitchen")])
        let received = clients.map { $0.read() }
        #expect(received[0] == received[1])
        #expect(received[0].map(\.name) == ["rateDidChange", "state"])
        #expect(received[0][0].data["origin"]?.text == "kitchen")
    }

    @Test("an event is encoded once: every client is sent the same buffer")
    func encodedOnce() {
        let broadcast = EventBroadcast(
            snapshot: PlayerSnapshot(PlayerState(), epoch: "e0", revision: 1), epoch: "e0", clock: rig.time, limits: EventBroadcast.Limits(),
            runner: { $0() },
            demandDidChange: {})
        broadcast.append(name: "x", payload: Array("{}".utf8))
        var cursors = [EventCursor(sequence: 0), EventCursor(sequence: 0)]
        let addresses = cursors.indices.map { index in
            broadcast.next(&cursors[index], leases: [])?.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(addresses[0] != nil)
        #expect(addresses[0] == addresses[1])
    }

    // MARK: Lost connections

    @Test("a client that reconnects at random, many times, has received exactly the server's log in the end (seeded)")
    func lossyConnections() async throws {
        var generator = SeededGenerator(seed: 7)
        var received: [Int] = []
        var lastID = "e0:0"
        var client = try await rig.events(headers: [("Last-Event-ID", lastID)])
        let count = TestDepth.isThorough ? 1000 : 200
        for _ in 0..<count {
            for _ in 0..<Int.random(in: 0...4, using: &generator) { rig.setVolume(Double.random(in: 0...1, using: &generator)) }
            client.readBytes(Int.random(in: 1...3000, using: &generator))
            for event in client.events() where event.id != nil {
                received.append(event.sequence ?? -1)
                lastID = event.id ?? ""
                #expect(event.data["resync"] == nil && event.data["coalesced"] == nil)
            }
            client.stream.close()
            client = try await rig.events(headers: [("Last-Event-ID", lastID)])
        }
        received += client.read().compactMap(\.sequence)
        #expect(received == Array(1...rig.broadcast.newestSequence))
        #expect(rig.broadcast.newestSequence > count * 3 / 2)
    }
}
