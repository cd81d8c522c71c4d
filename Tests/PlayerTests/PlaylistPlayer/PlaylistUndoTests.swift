import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// Edits of several entries, and what playback does after their undo.
@Suite("PlaylistPlayer: edits and undo") @MainActor struct PlaylistUndoTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }
    var currentID: String? { state.currentItem?.id }
    var position: Double { player.currentTime().currentTime }

    @Test("undo of a replaced queue restores the entry that played, at its position", arguments: [true, false])
    func replaced(wasPlaying: Bool) async throws {
        let ids = try await rig.append([rig.spec("a"), rig.spec("b")])
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.advance(4)
        if !wasPlaying { try await rig.perform(.pause) }
        rig.rig.run()
        let time = position
        try await rig.perform(.setItem(rig.spec("c"), play: !wasPlaying, startTime: nil), origin: "phone")
        rig.rig.advance(1)
        #expect(player.queue.edits.undo == QueueEdit(kind: .replace, count: 2, origin: "phone"))
        #expect(try await rig.perform(.undo) == .edit(QueueEdit(kind: .replace, count: 2, origin: "phone")))
        rig.rig.run()
        #expect(player.queue.entries.map(\.id) == ids && currentID == ids[1])
        #expect(abs(position - time) < 0.1)
        rig.rig.advance(2)
        #expect(abs(position - time - (wasPlaying ? 2 : 0)) < 0.1)
        #expect(state.rate == (wasPlaying ? 1 : 0))
    }

    @Test("undo does not interrupt the entry that plays if that entry stays")
    func uninterrupted() async throws {
        let ids = try await rig.append([rig.spec("a"), rig.spec("b"), rig.spec("c")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(2)
        try await rig.perform(.removeEntries([ids[2], ids[1]]))
        rig.rig.advance(1)
        let item = player.player.currentItem
        try await rig.perform(.undo)
        rig.rig.advance(1)
        #expect(player.player.currentItem === item && position == 4)
        #expect(player.queue.entries.map(\.id) == ids)
        rig.rig.advance(7)
        #expect(currentID == ids[1])
    }

    @Test("removing entries with the current one continues at the next remaining one; an unknown id removes nothing")
    func removing() async throws {
        let ids = try await rig.append([rig.spec("a"), rig.spec("b"), rig.spec("c")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        await #expect(throws: PlayerRefusal.noEntryAt(index: 1)) { try await rig.perform(.removeEntries([ids[0], "nothing"])) }
        try await rig.perform(.removeEntries([ids[1], ids[0]]))
        rig.rig.advance(1)
        #expect(currentID == ids[2] && state.rate == 1 && position == 1)
        try await rig.perform(.undo)
        rig.rig.advance(1)
        #expect(currentID == ids[0] && position == 2)
    }

    @Test("clearing what follows lets the current entry play to its end")
    func upcoming() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 2), rig.spec("b"), rig.spec("c")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        try await rig.perform(.removeUpcoming)
        rig.rig.advance(3)
        #expect(player.queue.entries.map(\.id) == [ids[0]] && state.ended)
        #expect(player.queue.edits.undo == QueueEdit(kind: .clear, count: 2, origin: "test"))
    }

    @Test("a move next to the current entry is what plays next, without a reload of the current one")
    func moving() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 2), rig.spec("b"), rig.spec("c")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        try await rig.perform(.moveEntries([ids[2]], to: .next, order: .display))
        rig.rig.advance(2)
        #expect(currentID == ids[2] && position == 1)
        await #expect(throws: PlayerRefusal.noEntry) { try await rig.perform(.moveEntries([ids[0]], to: .after("x"), order: .display)) }
    }

    @Test("entries known to be missing are known to be so again after an undo")
    func failures() async throws {
        var missing = rig.spec(of: "missing")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        let ids = try await rig.append([rig.spec("a"), missing])
        try await rig.perform(.removeEntries([ids[1]]))
        try await rig.perform(.undo)
        #expect(player.queue.entries[1].error?.code == .fileNotFound)
    }

    @Test("an entry that is restored has the facts and the failure that it had before it was removed")
    func restoredFacts() async throws {
        let ids = try await rig.append([rig.spec("a"), rig.spec("b", seconds: 20), rig.spec(of: "missing")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        let former = player.queue.entries
        #expect(former[1].duration == 20 && former[2].status == .failed)
        try await rig.perform(.removeEntries([ids[1], ids[2]]))
        rig.rig.run()
        try await rig.perform(.undo)
        #expect(player.queue.entries == former)
    }

    @Test("an entry that becomes current again is described as known while its medium is opened again")
    func reopened() async throws {
        let ids = try await rig.append([rig.spec("a"), rig.spec("b"), rig.spec("c")])
        try await rig.perform(.playEntry(ids[0]))
        rig.rig.advance(1)
        try await rig.perform(.playEntry(ids[2]))
        rig.rig.advance(1)
        try await rig.perform(.playEntry(ids[0]))
        #expect(state.currentItem?.status == .unknown)
        #expect(player.queue.entries[0].status == .readyToPlay && player.queue.entries[0].duration == 10)
    }

    @Test("without an edit, undo and redo are refused")
    func nothing() async throws {
        await #expect(throws: PlayerRefusal.nothingToUndo) { try await rig.perform(.undo) }
        await #expect(throws: PlayerRefusal.nothingToRedo) { try await rig.perform(.redo) }
    }

    @Test("an entry is removed after the next one has followed it, automatically or by a command; the last one stays")
    func consuming() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 1), rig.spec("b", seconds: 1), rig.spec("c", seconds: 1)])
        var update = PlayerUpdate()
        update.isConsuming = true
        try await rig.perform(.update(update))
        #expect(state.isConsuming)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1.5)
        #expect(player.queue.entries.map(\.id) == [ids[1], ids[2]] && currentID == ids[1] && position == 0.5)
        try await rig.perform(.next)
        rig.rig.advance(3)
        #expect(player.queue.entries.map(\.id) == [ids[2]] && state.ended)
    }

    // MARK: Start positions

    @Test("a queue starts at the given entry, at the entry's start position, and the others start at theirs")
    func start() async throws {
        let specs = ["a", "b", "c"].map { name in
            var spec = rig.spec(name, seconds: 10)
            spec.startTime = name == "a" ? nil : 8
            return spec
        }
        try await rig.perform(.setQueue(specs, start: QueueStart(index: 1), play: true))
        rig.rig.advance(1)
        #expect(state.queue.index == 1 && position == 9)
        rig.rig.advance(2)
        #expect(state.queue.index == 2 && position == 9)
        #expect(player.playlist.history.count == 1)
    }

    @Test("the start position of a new queue applies once: the entry has none, or its own, when it is played again", arguments: [nil, 3.0])
    func startOnce(own: Double?) async throws {
        var spec = rig.spec("b", seconds: 10)
        spec.startTime = own
        let command = PlayerCommand.setQueue([rig.spec("a"), spec], start: QueueStart(index: 1, time: 7), play: true)
        guard case .entries(let ids) = try await rig.perform(command) else { return }
        rig.rig.advance(1)
        #expect(position == 8 && player.queue.entries[1].startTime == own)
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.advance(1)
        #expect(position == (own ?? 0) + 1)
    }

    @Test("the start position of a new item applies once")
    func itemStartOnce() async throws {
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: 7)) else { return }
        rig.rig.advance(1)
        #expect(position == 8 && player.queue.entries[0].startTime == nil)
        try await rig.perform(.playEntry(id))
        rig.rig.advance(1)
        #expect(position == 1)
    }

    @Test("if the entry at which a new queue starts has failed, the start position does not apply to the entry that starts instead")
    func startOfFailed() async throws {
        var missing = rig.spec(of: "missing")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        try await rig.perform(.setQueue([missing, rig.spec("b")], start: QueueStart(index: 0, time: 7), play: true))
        rig.rig.advance(1)
        #expect(state.queue.index == 1 && position == 1)
    }

    @Test("a start position more than a second after the known end of the medium is refused, and changes nothing (R-SEEK-08, J-2)")
    func outside() async throws {
        try await rig.append([rig.spec("a", seconds: 10)])
        rig.rig.advance(1)
        var spec = rig.spec(of: "a")
        spec.startTime = 11.5
        let revision = player.playlist.revision
        await #expect(throws: PlayerRefusal.startOutside(index: 1, end: 10)) {
            try await rig.perform(.insert([rig.spec("b"), spec], at: .end, play: true))
        }
        await #expect(throws: PlayerRefusal.startOutside(index: 0, end: 10)) { try await rig.perform(.setQueue([spec], play: true)) }
        await #expect(throws: PlayerRefusal.startOutside(index: nil, end: 10)) {
            try await rig.perform(.setQueue([rig.spec("b"), rig.spec(of: "a")], start: QueueStart(index: 1, time: 11.5), play: true))
        }
        await #expect(throws: PlayerRefusal.startOutside(index: nil, end: 10)) {
            try await rig.perform(.setItem(rig.spec(of: "a"), play: true, startTime: 11.5))
        }
        #expect(player.playlist.revision == revision)
        spec.startTime = 10.5
        try await rig.append([spec])
    }

    @Test(
        "a start position whose medium turns out to be shorter means the end, for an item, a queue and an entry that follows (R-SEEK-08, J-2)",
        arguments: [10.5, 99])
    func outsideUnknown(start: Double) async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 10), play: false, startTime: start))
        rig.rig.run()
        #expect(position == 10)
        try await rig.perform(.setQueue([rig.spec("b", seconds: 10)], start: QueueStart(index: 0, time: start), play: false))
        rig.rig.run()
        #expect(position == 10)
        var follower = rig.spec("d", seconds: 10)
        follower.startTime = start
        try await rig.perform(.setQueue([rig.spec("c"), follower], play: true))
        rig.rig.run()
        #expect(player.loader.queued.last?.item.currentTime().seconds == 10)
    }
}
