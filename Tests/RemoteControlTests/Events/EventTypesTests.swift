import AVFoundation
import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of the parameter `types`, with which a client selects events, and of the events about entries.
@MainActor @Suite struct EventTypesTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private let item = PlayerState.Item(id: "e1", url: "file:///a", status: .readyToPlay, title: "Song", artist: "A", album: "B", duration: 2.5)
    private func emit() {
        rig.player.change { $0.volume = 0.5 }
        rig.player.emit(
            .currentItemDidChange(CurrentItemChange(item: item, index: 3, cause: PlayerState.Change(reason: .itemAdvanced, origin: "player"))))
        rig.player.emit(.entryDidFail(entryID: "e2", url: "file:///b", PlayerState.Failure(code: .corruptMedia, message: "Broken.")))
    }

    @Test("the types are those of the contract; stateChange is another form of state")
    func names() { #expect(Set(EventTypes.names + ["stateChange"]) == Set(Contract.shared.events?.names ?? [])) }

    @Test("every type has a bit of its own")
    func bits() {
        #expect(Set(EventTypes.names.map { EventTypes($0).rawValue }).count == EventTypes.names.count)
        #expect(EventTypes.names.count < 31)
    }

    @Test("a stream without types has all events")
    func all() async throws {
        let client = try await rig.events()
        #expect(client.read().map(\.name) == ["state"])
        emit()
        #expect(client.read().map(\.name) == ["state", "currentItemChanged", "entryFailed"])
    }

    @Test("a stream with types has only these, without a snapshot unless it asks for states")
    func filtered() async throws {
        let changes = try await rig.events("?types=currentItemChanged")
        let both = try await rig.events("?types=entryFailed,state")
        #expect(changes.read().isEmpty)
        #expect(both.read().map(\.name) == ["state"])
        emit()
        #expect(changes.read().map(\.name) == ["currentItemChanged"])
        #expect(both.read().map(\.name) == ["state", "entryFailed"])
    }

    @Test("a replay has only the requested types")
    func replay() async throws {
        emit()
        let client = try await rig.events("?types=entryFailed", headers: [("Last-Event-ID", "e0:0")])
        #expect(client.read().map(\.name) == ["entryFailed"])
    }

    @Test("a client whose missed events are gone receives a state with resync, whichever types it wants")
    func resync() async throws {
        let client = try await rig.events("?types=entryFailed", headers: [("Last-Event-ID", "old:7")])
        let events = client.read()
        #expect(events.map(\.name) == ["state"])
        #expect(events.first?.data["resync"]?.bool == true)
    }

    @Test("events of other types do not make a client too slow")
    func backlog() async throws {
        let client = try await rig.events("?types=entryFailed")
        for index in 0..<(rig.broadcast.limits.backlog + 10) { rig.player.change { $0.volume = Double(index % 2) } }
        rig.player.emit(.entryDidFail(entryID: "e2", url: "file:///b", PlayerState.Failure(code: .network, message: "m")))
        #expect(client.read().map(\.name) == ["entryFailed"])
    }

    @Test("heartbeats and ticks are filtered too, and an unwanted tick is not produced")
    func unnumbered() async throws {
        let client = try await rig.events("?types=entryFailed&tick=1")
        #expect(rig.player.observers.isEmpty)
        rig.time.advance(by: EventHub.heartbeatInterval + 1)
        #expect(client.read().isEmpty)
        let other = try await rig.events("?types=heartbeat,tick&tick=1")
        #expect(rig.player.observers.map(\.interval) == [1])
        rig.time.advance(by: EventHub.heartbeatInterval + 1)
        #expect(other.read().map(\.name) == ["heartbeat"])
    }

    @Test("over a WebSocket the same types are sent")
    func socket() async throws {
        let socket = try await TestSocket(rig, "?types=currentItemChanged")
        emit()
        #expect(socket.events().compactMap { $0["event"]?.text } == ["currentItemChanged"])
    }

    @Test(
        "an unknown, repeated, empty or endless list of types is refused, and the answer has the list",
        arguments: ["", "song", "state,", "state,state", "State", String(repeating: "state,", count: 2000)])
    func refused(_ types: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?types=\(types)")
        #expect(reply.status == 400)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "types")
        #expect(reply.json?["detail"]?.text?.contains("currentItemChanged, entryFailed") == true)
    }

    @Test("the events of entries have the members of the contract")
    func payloads() async throws {
        let client = try await rig.events("?types=currentItemChanged,entryFailed")
        emit()
        rig.player.emit(
            .currentItemDidChange(CurrentItemChange(item: nil, index: -1, cause: PlayerState.Change(reason: .queueChanged, origin: "phone"))))
        let events = client.read()
        for event in events { #expect(Contract.shared.errors(event.data, Contract.shared.events?[event.name], at: "") == []) }
        #expect(events[0].data.names == Contract.shared.schema("CurrentItemChangedEvent")?["properties"]?.names)
        #expect(events[0].data["entryId"]?.text == "e1" && events[0].data["index"]?.double == 3)
        #expect(events[1].data.names == Contract.shared.schema("EntryFailedEvent")?["properties"]?.names)
        #expect(events[2].data["entryId"] == nil)
    }
}
