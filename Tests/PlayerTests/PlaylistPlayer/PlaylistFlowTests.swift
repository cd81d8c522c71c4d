import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("PlaylistPlayer: from entry to entry") @MainActor struct PlaylistFlowTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }

    @Test("at the end of the last entry the player is paused and ended at the duration; play starts the entry again")
    func ended() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 3), play: true, startTime: nil))
        rig.rig.advance(2)
        let id = state.currentItem?.id
        rig.clear()
        rig.rig.advance(5)
        #expect(rig.states.count == 1)
        #expect(state.ended && state.rate == 0 && state.timeControlStatus == .paused)
        #expect(state.currentItem?.id == id)
        #expect(state.currentItem?.status == .readyToPlay)
        #expect(state.anchor.time == 3 && state.anchor.rate == 0)
        #expect(state.lastChange == PlayerState.Change(reason: .didPlayToEndTime, origin: "player"))
        #expect(rig.events == [.rateDidChange(rate: 0, reason: .none, origin: "player"), .didPlayToEndTime(itemID: id ?? "")])
        try await rig.perform(.play(rate: nil))
        #expect(!state.ended)
        rig.rig.advance(1)
        #expect(player.currentTime().currentTime == 1)
        #expect(state.timeControlStatus == .playing)
        rig.rig.advance(5)
        #expect(state.ended)
    }

    @Test("play opens an ended entry again if it is not seekable")
    func endedUnseekable() async throws {
        rig.rig.add("pipe", ScriptedMedium(seconds: 2, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "pipe"), play: true, startTime: nil))
        rig.rig.advance(3)
        #expect(state.ended)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(!state.ended)
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("entries follow each other without a gap, and the state follows the heard entry (R-QUEUE-06, R-QUEUE-10)")
    func following() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 2), rig.spec("b", seconds: 0.3), rig.spec("c", seconds: 4)])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1.9)
        #expect(state.currentItem?.id == ids[0])
        rig.clear()
        rig.rig.advance(0.2)
        #expect(state.currentItem?.id == ids[1])
        let summary = QueueSummary(revision: 1, count: 3, currentID: ids[1], nextID: ids[2])
        let undo = RevertibleEdits(undo: QueueEdit(kind: .insert, count: 3, origin: "test"))
        let update = QueueUpdate(summary: summary, previousRevision: 1, edits: undo)
        #expect(rig.events.prefix(2) == [.didPlayToEndTime(itemID: ids[0]), .queueDidChange(update)])
        rig.rig.advance(0.4)
        #expect(state.currentItem?.id == ids[2])
        #expect(abs(player.currentTime().currentTime - 0.2) < 0.001)
        #expect(state.queue.index == 2)
        #expect(rig.rig.engine.commands.filter { if case .setRunning = $0 { true } else { false } }.count == 1, "the device must not stop")
    }

    struct NoEvent: Error {}

    @Test("a failed last entry stays current: paused, with its error (R-WAIT-07)")
    func failing() async throws {
        rig.rig.add("bad", ScriptedMedium(seconds: nil, failure: PlaybackError(.unsupportedFormat, "This is no media file.")))
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec(of: "bad"), play: true, startTime: nil)) else { return }
        async let loaded = player.waitUntilLoaded(itemID: id)
        await Task.yield()
        rig.rig.run()
        let item = await loaded
        #expect(item?.status == .failed)
        #expect(item?.error == PlayerState.Failure(code: .unsupportedFormat, message: "This is no media file."))
        #expect(state.currentItem == item)
        #expect(state.rate == 0 && state.timeControlStatus == .paused)
        #expect(rig.events.contains(.rateDidChange(rate: 0, reason: .setRateFailed, origin: "player")))
        guard case .queueDidChange(let update)? = rig.events.last(where: { if case .queueDidChange = $0 { true } else { false } }) else {
            throw NoEvent()
        }
        #expect(update.summary == QueueSummary(revision: 1, count: 1, currentID: id))
        #expect(update.changes == item.map { [.update(index: 0, count: 1, entries: [$0])] })
        // The file exists now, so play opens the entry again.
        rig.rig.add("bad", ScriptedMedium(seconds: 5))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.status == .readyToPlay)
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("a failed entry is skipped if another one follows, and not retried automatically (R-QUEUE-07)")
    func skipping() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 2), rig.spec(of: "missing"), rig.spec("c", seconds: 2)])
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .all; return update
                }()))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(await player.waitUntilLoaded(itemID: ids[1])?.error?.code == .fileNotFound)
        rig.rig.advance(1.5)
        #expect(state.currentItem?.id == ids[2])
        rig.rig.advance(2)
        #expect(state.currentItem?.id == ids[0])
        #expect(state.timeControlStatus == .playing)
        #expect(rig.rig.scheduler.scheduledCount < 10)
    }

    @Test("a playlist without any playable entry stops")
    func allFailing() async throws {
        try await rig.append([rig.spec(of: "x"), rig.spec(of: "y"), rig.spec(of: "z")])
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .all; return update
                }()))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(10)
        #expect(state.rate == 0)
        #expect(state.currentItem?.status == .failed)
    }

    @Test("the repeat mode one plays the same entry again without a gap")
    func repeatOne() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 2), play: true, startTime: nil))
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .one; return update
                }()))
        rig.rig.advance(3)
        #expect(player.currentTime().currentTime == 1)
        #expect(state.queue.count == 1 && !state.ended)
        #expect(rig.events.contains { if case .didPlayToEndTime = $0 { true } else { false } })
    }

    @Test("next, previous, jump, remove and move are performed, or refused if there is no such entry")
    func navigating() async throws {
        let ids = try await rig.append(["a", "b", "c"].map { rig.spec($0) })
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        try await rig.perform(.next)
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[1])
        #expect(player.currentTime().currentTime == 1)
        try await rig.perform(.playEntry(ids[2]))
        await #expect(throws: PlayerRefusal.noNextEntry) { try await rig.perform(.next) }
        try await rig.perform(.previous)
        rig.rig.run()
        #expect(state.currentItem?.id == ids[1])
        try await rig.perform(.removeEntry(ids[1]))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[2])
        #expect(player.currentTime().currentTime == 1)
        try await rig.perform(.moveEntry(ids[2], to: 0))
        #expect(state.queue.index == 0)
        await #expect(throws: PlayerRefusal.noEntry) { try await rig.perform(.playEntry(ids[1])) }
    }

    @Test("after the end, play continues with an entry appended since")
    func appendedAfterEnd() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 1), play: true, startTime: nil))
        rig.rig.advance(2)
        #expect(state.ended)
        let ids = try await rig.append([rig.spec("b")])
        #expect(!state.ended && state.rate == 0)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[0])
        #expect(player.currentTime().currentTime == 1)
    }
}
