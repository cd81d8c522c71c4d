import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// What a new queue does to playback if it contains entries of the present queue.
@Suite("PlaylistPlayer: kept entries") @MainActor struct PlaylistKeepingTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }
    private let a: EntrySpec, b: EntrySpec, c: EntrySpec

    init() {
        (a, b, c) = (rig.spec("a"), rig.spec("b"), rig.spec("c"))
    }

    @discardableResult private func put(_ specs: [EntrySpec], play: Bool? = nil) async throws -> [String] {
        guard case .entries(let ids) = try await rig.perform(.setQueue(specs, play: play)) else { throw Unexpected() }
        rig.rig.run()
        return ids
    }
    struct Unexpected: Error {}

    private func title(_ spec: EntrySpec, _ title: String, id: String? = nil) -> EntrySpec {
        var spec = spec
        (spec.title, spec.id) = (title, id)
        return spec
    }

    @Test("the current entry plays on without a gap, at any index, and the new order follows it")
    func order() async throws {
        let ids = try await put([a, b, c], play: true)
        rig.rig.advance(4)
        rig.clear()
        let openings = rig.rig.opener.openCount
        #expect(try await put([c, a, b]) == [ids[2], ids[0], ids[1]])
        #expect(state.currentItem?.id == ids[0] && state.queue.index == 1)
        #expect(player.currentTime().currentTime == 4 && state.timeControlStatus == .playing)
        #expect(!rig.events.contains { if case .timeJumped = $0 { true } else { false } })
        #expect(rig.rig.opener.openCount == openings)
        rig.rig.advance(7)
        #expect(state.currentItem?.id == ids[1])
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("new entries around the current one get new ids, and removed ones are gone")
    func additions() async throws {
        let ids = try await put([a, b], play: true)
        rig.rig.advance(4)
        let new = try await put([c, a, c])
        #expect(new[1] == ids[0] && Set(new + ids).count == 4)
        #expect(player.currentTime().currentTime == 4)
        rig.rig.advance(7)
        #expect(state.currentItem?.id == new[2])
    }

    @Test("if the current entry is not given again, the first one becomes current and starts at its beginning")
    func gone() async throws {
        let ids = try await put([a, b, c], play: true)
        rig.rig.advance(4)
        #expect(try await put([c, b]) == [ids[2], ids[1]])
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[2] && player.currentTime().currentTime == 1)
        #expect(player.queue.history.isEmpty)
    }

    @Test("play true starts a paused current entry at its position, false pauses it there", arguments: [true, false])
    func play(_ plays: Bool) async throws {
        try await put([a, b], play: true)
        rig.rig.advance(4)
        if plays { try await rig.perform(.pause) }
        rig.rig.run()
        try await put([b, a], play: plays)
        rig.rig.advance(1)
        #expect(state.rate == (plays ? 1 : 0))
        #expect(player.currentTime().currentTime == (plays ? 5 : 4))
    }

    @Test("with an index, the entry at that index starts, even if the current entry is given again")
    func start() async throws {
        let ids = try await put([a, b, c], play: true)
        rig.rig.advance(4)
        #expect(try await rig.perform(.setQueue([b, a, c], start: QueueStart(index: 2), play: nil)) == .entries(ids: [ids[1], ids[0], ids[2]]))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[2] && player.currentTime().currentTime == 1)
    }

    @Test("undo restores the order and the titles of kept entries, and the current one plays on")
    func undone() async throws {
        let ids = try await put([title(a, "A"), b, c], play: true)
        rig.rig.advance(4)
        try await put([c, title(a, "New")])
        rig.clear()
        try await rig.perform(.undo)
        rig.rig.run()
        #expect(player.queue.entries.map(\.id) == ids && player.queue.entries[0].title == "A")
        #expect(state.currentItem?.id == ids[0] && player.currentTime().currentTime == 4)
        let update = rig.events.compactMap { if case .queueDidChange(let update) = $0 { update } else { nil } }.first
        #expect(update?.changes?.contains { if case .insert(index: 0, count: 3, entries: _?) = $0 { true } else { false } } == true)
        try await rig.perform(.redo)
        #expect(player.queue.entries.map(\.title) == [nil, "New"])
    }

    private func late(_ spec: EntrySpec, _ time: Double?, id: String? = nil) -> EntrySpec {
        var spec = spec
        (spec.startTime, spec.id) = (time, id)
        return spec
    }

    @Test("an entry that is given again by its URL has the start position that is given, or none")
    func startTimes() async throws {
        try await put([a, late(b, 3)])
        #expect(player.queue.entries.map(\.startTime) == [nil, 3])
        try await put([a, late(b, 5)])
        #expect(player.queue.entries.map(\.startTime) == [nil, 5])
        try await put([a, b])
        #expect(player.queue.entries.map(\.startTime) == [nil, nil])
    }

    @Test("an entry that is named by its id, and a copy of it, have its start position unless another one is given")
    func startTimesByID() async throws {
        let id = try await put([a, late(b, 3)])[1]
        try await put([a, late(b, nil, id: id), late(b, nil, id: id), late(b, 4, id: id)])
        #expect(player.queue.entries.map(\.startTime) == [nil, 3, 3, 4])
        try await rig.perform(.insert([late(b, nil, id: id)], at: .end, play: false))
        #expect(player.queue.entries.last?.startTime == 3)
    }

    @Test("another start position of a kept entry is published, and undo restores the former one")
    func startTimeNews() async throws {
        try await put([a, late(b, 3)])
        rig.clear()
        try await put([a, late(b, 5)])
        let update = rig.events.compactMap { if case .queueDidChange(let update) = $0 { update } else { nil } }.first
        #expect(update?.changes?.contains { if case .update(index: 1, count: 1, entries: _) = $0 { true } else { false } } == true)
        try await rig.perform(.undo)
        #expect(player.queue.entries[1].startTime == 3)
    }

    @Test("a queue with the same entries is not an edit that undo reverts")
    func unchanged() async throws {
        try await put([a, b])
        let edits = player.queue.edits
        try await put([a, b])
        #expect(player.queue.edits == edits)
    }

    @Test("while played entries are removed, a queue with a failed current entry has all the entries that were given")
    func failedCurrent() async throws {
        var update = PlayerUpdate()
        update.isConsuming = true
        try await rig.perform(.update(update))
        let bad = rig.spec(of: "missing")
        let ids = try await put([bad])
        #expect(state.currentItem?.status == .failed)
        let reference = EntrySpec(id: ids[0], source: bad.source, url: bad.url)
        let new = try await put([reference, b], play: true)
        rig.rig.advance(1)
        #expect(player.queue.entries.map(\.id) == new && new[0] == ids[0])
        #expect(state.currentItem?.id == new[1] && player.currentTime().currentTime == 1)
    }

    @Test("an entry keeps its title unless it is given another one")
    func titles() async throws {
        let ids = try await put([title(a, "A"), title(b, "B")])
        try await put([a, title(b, "New", id: ids[1])])
        #expect(player.queue.entries.map(\.title) == ["A", "New"])
    }

    @Test("a new title of an entry that was opened before is shown")
    func titleOfKnownEntry() async throws {
        let ids = try await put([a, b, c], play: true)
        rig.rig.advance(1)
        for _ in 0..<2 { try await rig.perform(.next) }
        rig.rig.advance(1)
        #expect(player.queue.entries[0].duration == 10)
        try await put([title(a, "New"), b, c])
        #expect(player.queue.entries[0].title == "New" && player.queue.entries[0].id == ids[0])
    }

    @Test("the history keeps the entries that are given again")
    func history() async throws {
        let ids = try await put([a, b, c], play: true)
        for _ in 0..<2 { try await rig.perform(.next) }
        rig.rig.run()
        try await put([c, b])
        #expect(player.queue.history == [ids[1]])
        try await rig.perform(.previous)
        rig.rig.run()
        #expect(state.currentItem?.id == ids[1])
    }

    @Test("a shuffled queue keeps the order of the kept entries, with new ones somewhere after the current one")
    func shuffled() async throws {
        var update = PlayerUpdate()
        update.shuffleSeed = 3
        let specs = (0..<20).map { rig.spec("s\($0)") }
        let ids = try await put(specs, play: true)
        try await rig.perform(.update(update))
        let before = player.playlist.upcoming(20).map(\.id)
        let new = try await put(Array(specs.reversed()) + [a])
        let after = player.playlist.upcoming(21).map(\.id)
        #expect(state.currentItem?.id == ids[0])
        #expect(after.filter { $0 != new[20] } == before)
        #expect(after.contains(new[20]))
    }

    @Test("a list that replaces a shuffled queue starts with a random playable entry, unless the client names one or the current one is kept")
    func shuffledStart() async throws {
        var update = PlayerUpdate()
        update.shuffleSeed = 3
        try await rig.perform(.update(update))
        var missing = rig.spec(of: "missing")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        var starts: Set<Int> = []
        for round in 0..<40 {
            try await put([missing] + (0..<4).map { rig.spec("r\(round)-\($0)") }, play: true)
            rig.rig.run()
            starts.insert(state.queue.index)
            #expect(player.playlist.upcomingIDs.count == 4)
        }
        #expect(starts == [1, 2, 3, 4])
        let specs = (0..<4).map { rig.spec("n\($0)") }
        for index in 0..<4 {
            try await rig.perform(.setQueue(specs, start: QueueStart(index: index), play: true))
            #expect(state.queue.index == index)
        }
        try await put(specs + [a], play: true)
        #expect(state.queue.index == 3)
    }

    @Test("a failed entry that is given again by its URL is tried again; one that is referred to keeps its failure", arguments: [false, true])
    func failures(_ isReference: Bool) async throws {
        let missing = rig.spec(of: "late")
        let ids = try await put([a, missing], play: true)
        rig.rig.advance(1)
        #expect(player.model.hasFailed(ids[1]))
        rig.rig.add("late", ScriptedMedium(seconds: 4))
        try await put([a, isReference ? EntrySpec(id: ids[1], source: missing.source, url: missing.url) : missing])
        rig.rig.advance(1)
        #expect(player.model.hasFailed(ids[1]) == isReference)
        #expect(player.queue.entries[1].status == (isReference ? .failed : .readyToPlay))
    }

    @Test("after the end of the last entry, play true continues with the entries that were added")
    func ended() async throws {
        try await put([a], play: true)
        rig.rig.advance(11)
        #expect(state.ended)
        let new = try await put([a, b], play: true)
        rig.rig.advance(1)
        #expect(state.currentItem?.id == new[1] && state.rate == 1)
    }

    @Test("a negative default rate that the kept entry cannot play refuses the request, and changes nothing")
    func backwards() async throws {
        let ids = try await put([a, b])
        rig.rig.advance(1)
        var update = PlayerUpdate()
        update.defaultRate = -1
        try await rig.perform(.update(update))
        await #expect(throws: PlayerRefusal.rateNotPlayable) { try await rig.perform(.setQueue([b, a], play: true)) }
        #expect(player.queue.entries.map(\.id) == ids)
    }

    @Test("a copy of an entry has its title, and counts with its whole text")
    func copies() async throws {
        let ids = try await put([title(a, "A")])
        let copy = EntrySpec(id: ids[0], source: a.source, url: a.url)
        try await rig.perform(.insert([copy, copy], at: .end, play: false))
        #expect(player.queue.entries.map(\.title) == ["A", "A", "A"])
        #expect(Set(player.queue.entries.map(\.id)).count == 3)
        #expect(player.playlist.textSize == PlaylistMachine.textSize(of: player.playlist.entries.map(\.spec)))
        let long = title(a, String(repeating: "t", count: 1000))
        let entries = try await put([long])
        let many = Array(repeating: EntrySpec(id: entries[0], source: a.source, url: a.url), count: 9_999)
        _ = try await rig.perform(.insert(many, at: .end, play: false))
        #expect(player.playlist.textSize > 10_000_000)
    }
}
