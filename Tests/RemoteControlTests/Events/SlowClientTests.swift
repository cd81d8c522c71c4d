import PlaybackEngine
import PlaybackTesting
import Player
import Testing

@testable import RemoteControl

/// Tests of clients that read an event stream slower than the player emits events, and of heartbeats.
@MainActor @Suite struct SlowClientTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    @Test("a client that keeps reading receives every event, however many")
    func everyEvent() async throws {
        let client = try await rig.events()
        _ = client.read()
        var sequences: [Int?] = []
        for index in 1...3000 {
            rig.setVolume(Double(index) / 3000)
            if index % 200 == 0 { sequences += client.read().map(\.sequence) }
        }
        #expect(sequences == Array(1...3000))
    }

    @Test("a client that exceeds its backlog receives one state with coalesced and the newest id, then single events again")
    func coalesced() async throws {
        var limits = EventBroadcast.Limits()
        limits.backlog = 5
        let rig = try TestRig(limits: limits)
        let slow = try await rig.events()
        let fast = try await rig.events()
        _ = (slow.read(), fast.read())
        var seen = 0
        for index in 1...6 {
            rig.player.change { $0.volume = Double(index) / 100 }
            seen += fast.read().count
        }
        let events = slow.read()
        #expect(events.map(\.name) == ["state"])
        #expect(events.first?.id == "e0:6")
        #expect(events.first?.data["coalesced"]?.bool == true)
        #expect(events.first?.data["volume"]?.double == 0.06)
        #expect(seen == 6)
        for index in 7...11 { rig.player.change { $0.volume = Double(index) / 100 } }
        #expect(slow.read().map(\.sequence) == [7, 8, 9, 10, 11])
    }

    @Test("a partially sent frame is completed before the coalesced state")
    func coalescedInside() async throws {
        var limits = EventBroadcast.Limits()
        limits.backlog = 2
        let rig = try TestRig(limits: limits)
        let slow = try await rig.events()
        _ = slow.read()
        rig.player.change { $0.volume = 0.1 }
        #expect(slow.readBytes(10) == 10)
        for index in 2...9 { rig.player.change { $0.volume = Double(index) / 100 } }
        let events = slow.read()
        #expect(events.map(\.sequence) == [1, 9])
        #expect(events.map { $0.data["coalesced"]?.bool } == [nil, true])
    }

    @Test("a replay may be longer than the backlog of a slow client")
    func longReplay() async throws {
        var limits = EventBroadcast.Limits()
        limits.backlog = 5
        let rig = try TestRig(limits: limits)
        for index in 1...20 { rig.player.change { $0.volume = Double(index) / 100 } }
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:1")]).read().map(\.sequence) == Array(2...20))
    }

    @Test("a slow client is coalesced too if its next event is no longer in the log")
    func fellOut() async throws {
        var limits = EventBroadcast.Limits()
        limits.log.events = 4
        limits.backlog = 100
        let rig = try TestRig(limits: limits)
        let slow = try await rig.events()
        _ = slow.read()
        for index in 1...10 { rig.player.change { $0.volume = Double(index) / 100 } }
        #expect(slow.read().map(\.data["coalesced"]?.bool) == [true])
    }

    @Test("a client that reads nothing for a minute is dropped; one that reads is not")
    func dropped() async throws {
        let silent = try await rig.events()
        let reader = try await rig.events()
        _ = (silent.read(), reader.read())
        rig.setVolume(0.5)
        // The server checks each 15 s whether events are unread. The first check finds one, and from then on the client has one minute to read it.
        for _ in 0..<4 {
            rig.time.advance(by: 15)
            _ = reader.read()
        }
        #expect(rig.broadcast.streamCount == 2)
        rig.time.advance(by: 16)
        #expect(rig.broadcast.streamCount == 1)
        #expect(silent.readBytes() == nil)
        #expect(!reader.read().isEmpty)
    }

    @Test("a client that reads nothing for a minute after a part of an event is dropped")
    func droppedInside() async throws {
        let client = try await rig.events()
        client.readBytes(10)
        rig.time.advance(by: 74)
        #expect(rig.broadcast.streamCount == 1)
        rig.time.advance(by: 2)
        #expect(rig.broadcast.streamCount == 0)
    }

    @Test("a client that has read everything is never dropped, however long the player emits no event")
    func idle() async throws {
        let client = try await rig.events()
        for _ in 0..<100 {
            rig.time.advance(by: 15)
            _ = client.read()
        }
        #expect(rig.broadcast.streamCount == 1)
        #expect(!client.isOver)
    }

    // MARK: Heartbeats

    @Test("every client receives a named heartbeat without id each 15 s, and no timer runs without a client")
    func heartbeat() async throws {
        #expect(rig.time.timerCount == 0)
        let client = try await rig.events()
        _ = client.read()
        #expect(rig.time.timerCount == 1)
        rig.time.advance(by: 14.9)
        #expect(client.read().isEmpty)
        for beat in 1...3 {
            rig.time.advance(by: beat == 1 ? 0.1 : 15)
            let events = client.read()
            #expect(events.map(\.name) == ["heartbeat"])
            #expect(events.first?.id == nil)
            #expect(events.first?.data["hostTime"]?.double == 8000 + Double(beat) * 15)
        }
        client.stream.close()
        rig.time.run()
        #expect(rig.time.timerCount == 0)
    }

    @Test("a heartbeat is never replayed and does not advance the id")
    func heartbeatNotReplayed() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.time.advance(by: 15)
        #expect(client.read().map(\.name) == ["heartbeat"])
        let other = try await rig.events(headers: [("Last-Event-ID", "e0:0")])
        #expect(other.read().isEmpty)
        #expect(try await rig.events().read().map(\.name) == ["state"])
    }
}
