import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of the buffer events of the current item. Buffer events have no number, and are never replayed. The server sends them at most a few times
/// per second, and only while a client receives them.
@MainActor @Suite struct BufferEventTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private func loaded(_ end: Double, from start: Double = 1, isFull: Bool = false) -> BufferState {
        BufferState(
            itemID: "e1", loaded: [ItemDetails.TimeRange(start: start, end: end)], seekable: [ItemDetails.TimeRange(start: 0, end: .infinity)],
            isEmpty: false, isFull: isFull, isLikelyToKeepUp: true)
    }
    private func ends(_ events: [TestStream.Event]) -> [Double?] { events.map { $0.data["loadedTimeRanges"]?[0]?["end"]?.double } }

    @Test("the buffer is not observed without a client, and observed once for all clients")
    func demand() async throws {
        #expect(rig.player.bufferObservers.isEmpty)
        let clients = [try await rig.events(), try await rig.events()]
        #expect(rig.player.bufferObservers.count == 1)
        clients[0].stream.close()
        rig.time.run()
        #expect(rig.player.bufferObservers.count == 1)
        rig.player.buffer = loaded(2)
        rig.player.buffer = loaded(3)
        clients[1].stream.close()
    }

    @Test("when the last client disconnects, its observer is removed and a pending report is not sent")
    func lastGoes() async throws {
        var client: TestStream? = try await rig.events()
        rig.player.buffer = loaded(2)
        rig.time.run()
        rig.player.buffer = loaded(3)
        #expect(client?.read().map(\.name) == ["state", "buffer"])
        client?.stream.close()
        client = nil
        rig.time.run()
        #expect(rig.player.bufferObservers.isEmpty)
        #expect(rig.broadcast.wantedWatches.isEmpty)
        #expect(rig.time.timerCount == 0, "no timer for a heartbeat or a report remains")
    }

    @Test("a buffer event has the item, the ranges, the flags and the host time, and no id")
    func content() async throws {
        let client = try await rig.events()
        rig.player.buffer = loaded(2.5)
        rig.time.run()
        let event = try #require(client.read().last)
        #expect(event.name == "buffer" && event.id == nil)
        #expect(event.data["itemId"]?.text == "e1" && event.data["hostTime"]?.double == 8000)
        #expect(event.data["loadedTimeRanges"]?[0]?["start"]?.double == 1 && event.data["loadedTimeRanges"]?[0]?["end"]?.double == 2.5)
        // If the item is seekable from a position on without limit, the range has a start and no end.
        #expect(event.data["seekableTimeRanges"]?[0]?.names == ["start"])
        #expect(event.data["isPlaybackBufferEmpty"]?.bool == false && event.data["isPlaybackBufferFull"]?.bool == false)
        #expect(event.data["isPlaybackLikelyToKeepUp"]?.bool == true)
        #expect(Contract.shared.errors(event.data, Contract.shared.events?["buffer"], at: "") == [])
    }

    @Test("many changes within a second give five events; each has the state of its time, the last one the newest")
    func coalesced() async throws {
        let client = try await rig.events()
        _ = client.read()
        var events: [TestStream.Event] = []
        for change in 1...64 {
            rig.player.buffer = loaded(Double(change))
            rig.time.advance(by: 1.0 / 64)
            events += client.read()
        }
        rig.time.advance(by: 10)
        events += client.read()
        #expect(ends(events.filter { $0.name == "buffer" }) == [1, 16, 32, 48, 64])
    }

    @Test("a state that differs from the last reported one only in isPlaybackBufferFull and the heard position is not reported")
    func unchanged() async throws {
        let client = try await rig.events()
        rig.player.buffer = loaded(2)
        rig.time.advance(by: 1)
        _ = client.read()
        rig.player.buffer = loaded(2)
        rig.time.advance(by: 1)
        rig.player.buffer = loaded(2, isFull: true)
        rig.time.advance(by: 1)
        rig.player.buffer = loaded(2, from: 1.5)
        rig.time.advance(by: 1)
        #expect(client.read().isEmpty)
        rig.player.buffer = loaded(3, isFull: true)
        rig.time.advance(by: 1)
        #expect(ends(client.read()) == [3])
    }

    @Test("a buffer event follows the state event that introduces its item")
    func order() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.publishesLater = true
        rig.player.buffer = loaded(2)
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a") }
        rig.time.run()
        #expect(client.read().isEmpty)
        rig.player.publish()
        #expect(client.read().map(\.name) == ["state", "buffer"])
    }

    @Test("a buffer event that waits for its interval follows the state of the turn in which that ends")
    func orderAfterInterval() async throws {
        let client = try await rig.events()
        rig.player.buffer = loaded(2)
        rig.time.run()
        _ = client.read()
        rig.player.buffer = loaded(3)
        rig.player.publishesLater = true
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a") }
        rig.time.advance(by: 1)
        #expect(client.read().isEmpty)
        rig.player.publish()
        #expect(client.read().map(\.name) == ["state", "buffer"])
    }

    @Test("a buffer event is not replayed, and a client that connects later receives the next one")
    func notReplayed() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.change { $0.volume = 0.1 }
        rig.player.buffer = loaded(2)
        rig.time.advance(by: 1)
        rig.player.change { $0.volume = 0.2 }
        #expect(client.read().map(\.name).contains("buffer"))
        let late = try await rig.events(headers: [("Last-Event-ID", "e0:0")])
        #expect(late.read().map(\.name) == ["state", "state"])
        rig.player.buffer = loaded(3)
        rig.time.advance(by: 1)
        #expect(ends(late.read()) == [3])
    }

    @Test("a client that has not read receives only the newest buffer event")
    func slow() async throws {
        let client = try await rig.events()
        _ = client.read()
        for end in 2...9 {
            rig.player.buffer = loaded(Double(end))
            rig.time.advance(by: 1)
        }
        #expect(ends(client.read()) == [9])
    }

    @Test("over a WebSocket the event has the same data, without an id")
    func socket() async throws {
        let socket = try await TestSocket(rig)
        rig.player.buffer = loaded(2)
        rig.time.advance(by: 1)
        let message = try #require(socket.read().last)
        #expect(message["event"]?.text == "buffer" && message["id"] == nil)
        #expect(message["data"]?["loadedTimeRanges"]?[0]?["end"]?.double == 2)
    }

    @Test("the buffer observer does not count towards the limit of ticks")
    func capacity() async throws {
        var limits = EventBroadcast.Limits()
        limits.watches = 1
        limits.watchesOfAddress = 1
        let rig = try TestRig(limits: limits)
        let listener = try await rig.events()
        let client = try await rig.events("?tick=1")
        #expect(rig.player.observers.count == 1 && rig.player.bufferObservers.count == 1)
        withExtendedLifetime((listener, client)) {}
    }
}
