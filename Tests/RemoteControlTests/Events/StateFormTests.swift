import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// The parameter `state` of event streams: the form of a change of the state.
@MainActor @Suite struct StateFormTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    @Test("with state=changes, a stream begins with the whole state, and each change has only the members that have changed")
    func changes() async throws {
        let client = try await rig.events("?state=changes")
        let first = client.read()
        #expect(first.map(\.name) == ["state"] && first.first?.data["volume"] != nil)
        rig.player.change { $0.volume = 0.5 }
        let change = try #require(client.read().first)
        #expect(change.name == "stateChange")
        #expect(Set(change.data.names) == ["epoch", "revision", "volume", "changed", "hostTime"])
        #expect(change.data["volume"]?.double == 0.5)
        #expect(change.data["changed"]?.serialized == #"["volume"]"#)
        #expect(Contract.shared.errors(change.data, Contract.shared.events?["stateChange"], at: "") == [])
    }

    @Test("a member that has no value any more is named, and is absent")
    func removed() async throws {
        rig.player.change { $0.loop = ItemDetails.TimeRange(start: 1, end: 2) }
        let client = try await rig.events("?state=changes")
        #expect(client.read().first?.data["loop"] != nil)
        rig.player.change { $0.loop = nil }
        let change = try #require(client.read().first)
        #expect(change.data["changed"]?.serialized == #"["loop"]"#)
        #expect(change.data["loop"] == nil)
    }

    @Test("the changes, put together, are the state that other clients receive, with the same ids")
    func merged() async throws {
        let reduced = try await rig.events("?state=changes")
        let whole = try await rig.events("?state=whole")
        var members = Self.members(try #require(reduced.read().first?.data))
        _ = whole.read()
        let edits: [@MainActor (inout PlayerState) -> Void] = [
            { $0.rate = 1.5 }, { $0.loop = ItemDetails.TimeRange(start: 1, end: 2) }, { $0.isMuted = true }, { $0.loop = nil }, { $0.volume = 0.25 },
        ]
        for edit in edits {
            rig.player.change(edit)
            let (change, state) = (try #require(reduced.read().first), try #require(whole.read().first))
            #expect(change.id == state.id && change.id != nil)
            for name in change.data["changed"]?.elements.compactMap(\.text) ?? [] { members[name] = nil }
            members.merge(Self.members(change.data)) { $1 }
            #expect(members == Self.members(state.data))
        }
    }

    @Test("missed changes are replayed in the form that the new stream requests")
    func replayed() async throws {
        let id = try #require(try await rig.events().read().first?.id)
        rig.player.change { $0.volume = 0.5 }
        let reduced = try await rig.events("?state=changes", headers: [("Last-Event-ID", id)])
        let whole = try await rig.events(headers: [("Last-Event-ID", id)])
        #expect(reduced.read().map(\.name) == ["stateChange"])
        #expect(whole.read().map(\.name) == ["state"])
    }

    @Test("events that replace missed ones have the whole state")
    func resync() async throws {
        let client = try await rig.events("?state=changes", headers: [("Last-Event-ID", "old:7")])
        let event = try #require(client.read().first)
        #expect(event.name == "state" && event.data["resync"]?.bool == true && event.data["volume"] != nil)
    }

    @Test("the type state means both forms")
    func types() async throws {
        let client = try await rig.events("?types=state&state=changes")
        _ = client.read()
        rig.player.change { $0.volume = 0.5 }
        #expect(client.read().map(\.name) == ["stateChange"])
    }

    @Test("another form than the two is refused, and the parameter is named", arguments: ["", "all", "Changes", "changes,whole"])
    func refused(_ form: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?state=\(form)")
        #expect(reply.status == 400 && reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "state")
    }

    @Test("the contract describes the same members for a change as for the state")
    func described() throws {
        let state = try #require(Contract.shared.schema("PlayerState")?["properties"])
        let change = try #require(Contract.shared.schema("StateChangeEvent")?["properties"])
        #expect(change.names == state.names + ["changed", "hostTime"])
        for name in state.names { #expect(change[name] == state[name], "\(name)") }
    }

    @Test("both forms of an event count against the size of the log")
    func size() {
        let change = EventFrame(sequence: 1, id: nil, name: "stateChange", payload: Array(repeating: 0x20, count: 600))
        var log = EventLog(capacity: EventLog.Capacity(events: 10, bytes: 1500))
        for _ in 0..<2 {
            log.append { EventFrame(sequence: $0, id: nil, name: "state", payload: Array(repeating: 0x20, count: 600), reduced: change) }
        }
        #expect(log.frame(1) == nil && log.frame(2) != nil)
    }

    private static func members(_ event: JSONValue) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        for name in event.names where name != "changed" && name != "hostTime" { result[name] = event[name] }
        return result
    }
}
