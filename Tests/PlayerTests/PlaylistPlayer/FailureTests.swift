import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("Failures of entries and connections") @MainActor struct FailureTests {
    private let rig = PlaylistRig()
    private var player: PlaylistPlayer { rig.player }
    private var state: PlayerState { player.state }
    private let lost = PlaybackError(.network, "The connection to the server was lost.", reason: .connectionLost)

    /// Lets the current item fail at the position that is heard now.
    private func failNow() throws {
        let engine = rig.rig.engine, item = try #require(engine.currentItem)
        var timeline = engine.timeline
        let frame = engine.clock.now().frame
        timeline.written = frame
        timeline.segments[timeline.segments.count - 1].end = frame
        timeline.segments[timeline.segments.count - 1].reachesEndOfItem = false
        engine.setTimeline(timeline)
        engine.emit(.failed(item, lost))
        rig.rig.run()
    }

    @Test("an entry that has failed keeps its position, and play continues there (R-NET-06)")
    func resuming() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(3)
        try failNow()
        #expect(state.currentItem?.status == .failed && state.rate == 0)
        #expect(state.currentItem?.error?.message == lost.message)
        #expect(abs(player.currentTime().currentTime - 3) < 0.01)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.status == .readyToPlay && state.currentItem?.error == nil)
        #expect(abs(player.currentTime().currentTime - 4) < 0.01)
    }

    @Test("a seek on an entry that has failed opens it again, paused, at the target (R-NET-06)")
    func seeking() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(3)
        try failNow()
        let task = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(7))), origin: "test") }
        await Task.yield()
        rig.rig.run()
        guard case .seek(let finished, let time, _) = try await task.value else { return }
        #expect(finished && time == 7)
        rig.rig.run()
        #expect(state.currentItem?.status == .readyToPlay && state.rate == 0)
        #expect(player.currentTime().currentTime == 7)
    }

    @Test("five entries that fail in a row stop the queue: the failed entry stays current, and the state says so (R-NET-07)")
    func stopping() async throws {
        try await rig.append((1...30).map { rig.spec(of: "missing\($0)") } + [rig.spec("good")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(10)
        let failed = rig.events.compactMap { if case .entryDidFail(let id, _, _) = $0 { id } else { nil } }
        // Entries that were already opened ahead fail too.
        #expect((5...8).contains(failed.count) && Set(failed).count == failed.count)
        #expect(state.rate == 0 && state.currentItem?.status == .failed)
        #expect(failed.contains(try #require(state.currentItem?.id)))
        #expect(rig.states.contains { $0.lastChange.reason == .queueFailed })
    }

    @Test("a client that plays begins a new count, and so does an entry that opens (R-NET-07)")
    func newCount() async throws {
        func bad(_ numbers: ClosedRange<Int>) -> [EntrySpec] { numbers.map { rig.spec(of: "bad\($0)") } }
        let ids = try await rig.append(bad(1...4) + [rig.spec("good", seconds: 1)] + bad(5...8) + [rig.spec("last")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1.5)
        #expect(state.currentItem?.id == ids[9] && state.timeControlStatus == .playing)
        #expect(rig.events.count { if case .entryDidFail = $0 { true } else { false } } == 8)
    }

    @Test("a new queue begins a new count, so its first entry that fails does not stop it (R-NET-07)")
    func newQueue() async throws {
        try await rig.perform(.setQueue((1...8).map { rig.spec(of: "bad\($0)") }, play: true))
        rig.rig.advance(2)
        #expect(state.lastChange.reason == .queueFailed)
        try await rig.perform(.setQueue([rig.spec(of: "missing"), rig.spec("good")], play: true))
        rig.rig.advance(1)
        #expect(state.queue.index == 1 && state.timeControlStatus == .playing)
    }

    @Test("a lost connection is published with its error, attempt and next attempt, and its return too (R-NET-05)")
    func connection() async throws {
        let spec = EntrySpec(source: MediaSource(.remote(url: "http://h/a")), url: "http://h/a")
        rig.rig.host.setMedium(ScriptedMedium(seconds: 10), at: "http://h/a")
        try await rig.perform(.setItem(spec, play: true, startTime: nil))
        rig.rig.advance(1)
        rig.clear()
        let monitor = try #require(player.player.currentItem?.connection), id = try #require(state.currentItem?.id)
        let wait = ConnectionMonitor.Wait(error: lost, attempt: 2, retryTime: rig.rig.clock.now + 0.5)
        monitor.setWait(wait)
        monitor.setWait(wait)
        rig.rig.run()
        let network = PlayerState.Network(
            error: PlayerState.Failure(code: .network, message: lost.message, reason: .connectionLost), attempt: 2,
            retryHostTime: wait.retryTime.seconds)
        #expect(state.network == network)
        #expect(rig.events == [.networkDidChange(itemID: id, network)])
        #expect(rig.states.last?.lastChange.reason == .networkChanged)
        #expect(state.rate == 1 && state.timeControlStatus == .playing && state.currentItem?.status == .readyToPlay)
        monitor.setWait(nil)
        rig.rig.run()
        #expect(state.network == nil)
        #expect(rig.events.last == .networkDidChange(itemID: id, nil))
    }

    @Test("the monitor of an item knows whether the player has anything left to play of it (R-NET-02)")
    func demand() async throws {
        func remote(_ name: String) -> EntrySpec { EntrySpec(source: MediaSource(.remote(url: "http://h/\(name)")), url: "http://h/\(name)") }
        rig.rig.host.setMedium(ScriptedMedium(seconds: 10), at: "http://h/a")
        rig.rig.host.setMedium(ScriptedMedium(seconds: 10), at: "http://h/b")
        try await rig.perform(.setQueue([remote("a"), remote("b")], play: true))
        let items = player.player.items()
        #expect(items[0].connection.isCurrent && items[0].connection.neededSince != nil)
        rig.rig.advance(1)
        let next = player.player.items()[1].connection
        #expect(items[0].connection.neededSince == nil)
        #expect(!next.isCurrent && next.neededSince == nil)
        let engine = rig.rig.engine, empty = BufferLevel(seconds: 0, isEmpty: true, isFull: false, isLikelyToKeepUp: false)
        engine.emit(.bufferChanged(try #require(engine.currentItem), empty))
        rig.rig.run()
        #expect(items[0].connection.neededSince == rig.rig.clock.now)
        try await rig.perform(.next)
        rig.rig.run()
        #expect(next.isCurrent && !items[0].connection.isCurrent && items[0].connection.neededSince == nil)
    }
}
