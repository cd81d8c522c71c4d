import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The commands by which remotes change the queue.
@Suite("PlaylistPlayer: queue") @MainActor struct PlaylistQueueTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }
    var currentID: String? { state.currentItem?.id }

    private func put(_ specs: [EntrySpec], play: Bool? = true) async throws -> [String] {
        guard case .entries(let ids) = try await rig.perform(.setQueue(specs, play: play)) else { throw Unexpected() }
        return ids
    }
    struct Unexpected: Error {}

    private var queueEvents: [QueueSummary] { rig.events.compactMap { if case .queueDidChange(let update) = $0 { update.summary } else { nil } } }

    @Test("setQueue plays the first entry, the others follow, and all stay in the queue with their metadata (R-QUEUE-06)")
    func replacing() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: 2, metadata: [MetadataEntry(key: "title", value: "First")]))
        let ids = try await put([rig.spec(of: "a"), rig.spec("b", seconds: 2)])
        #expect(player.queue.entries.map(\.status) == [.unknown, .unknown])
        rig.rig.advance(1)
        #expect(currentID == ids[0])
        rig.rig.advance(2)
        #expect(currentID == ids[1])
        #expect(player.currentTime().currentTime == 1)
        #expect(player.queue.summary == QueueSummary(revision: 1, count: 2, currentID: ids[1], nextID: nil))
        #expect(player.queue.entries.map(\.title) == ["First", nil])
        #expect(player.queue.entries.map(\.duration) == [2, 2])
    }

    @Test("an entry shows the client that has added it, also after another client has kept or moved it")
    func addedBy() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil), origin: "phone")
        rig.rig.run()
        try await rig.perform(.insert([rig.spec("b"), rig.spec("c")], at: .end, play: false), origin: "desk")
        #expect(player.queue.entries.map(\.addedBy) == ["phone", "desk", "desk"])
        #expect(state.currentItem?.addedBy == "phone")
        try await rig.perform(.setQueue([rig.spec("c"), rig.spec("d"), rig.spec("a")], play: nil), origin: "tablet")
        #expect(player.queue.entries.map(\.addedBy) == ["desk", "tablet", "phone"])
    }

    @Test("setQueue with play false pauses, and without play keeps the rate (R-REPL-02)", arguments: [nil, true, false])
    func rate(play: Bool?) async throws {
        _ = try await put([rig.spec("a")])
        rig.rig.advance(1)
        _ = try await put([rig.spec("b")], play: play)
        rig.rig.advance(1)
        #expect(state.rate == (play == false ? 0 : 1))
        #expect(player.currentTime().currentTime == (play == false ? 0 : 1))
    }

    @Test("setQueue without entries empties the playlist")
    func emptying() async throws {
        _ = try await put([rig.spec("a")])
        rig.rig.advance(1)
        #expect(try await put([], play: nil) == [])
        rig.rig.run()
        #expect(currentID == nil)
        #expect(player.queue.summary == QueueSummary(revision: 2, count: 0))
        #expect(player.queue.entries.isEmpty)
    }

    @Test("entries known to be missing are skipped from the start, and keep their error")
    func knownFailures() async throws {
        let failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        var missing = rig.spec(of: "missing")
        missing.failure = failure
        let ids = try await put([missing, rig.spec("b", seconds: 1), missing, rig.spec("d", seconds: 1)])
        #expect(currentID == ids[1])
        #expect(player.queue.summary.nextID == ids[3])
        rig.rig.advance(1.5)
        #expect(currentID == ids[3])
        #expect(state.timeControlStatus == .playing)
        #expect(player.queue.entries.map(\.error) == [failure, nil, failure, nil])
    }

    @Test("a queue of only missing entries stays at the first one, with its error")
    func onlyFailures() async throws {
        var missing = rig.spec(of: "missing")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        let ids = try await put([missing, missing])
        rig.rig.advance(5)
        #expect(currentID == ids[0])
        #expect(state.rate == 0)
        #expect(state.currentItem?.error?.code == .fileNotFound)
    }

    @Test("an item known to be missing counts as failed before the player has tried it, as in a queue")
    func itemWithFailure() async throws {
        var missing = rig.spec(of: "missing")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        try await rig.perform(.setItem(missing, play: true, startTime: nil))
        #expect(currentID.map(player.model.hasFailed) == true)
        rig.rig.advance(5)
        #expect(state.rate == 0)
        #expect(state.currentItem?.error?.code == .fileNotFound)
    }

    @Test("next skips failed entries, also while paused, and is refused if no entry follows")
    func nextSkips() async throws {
        var missing = rig.spec(of: "missing")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        let ids = try await put([rig.spec("a"), missing, rig.spec("c")], play: false)
        try await rig.perform(.next)
        rig.rig.run()
        #expect(currentID == ids[2])
        #expect(state.rate == 0)
        await #expect(throws: PlayerRefusal.noNextEntry) { try await rig.perform(.next) }
    }

    @Test("playEntry tries a failed entry again")
    func retried() async throws {
        var missing = rig.spec(of: "late")
        missing.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
        let ids = try await put([rig.spec("a"), missing])
        rig.rig.advance(1)
        rig.rig.add("late", ScriptedMedium(seconds: 4))
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.advance(1)
        #expect(currentID == ids[1])
        #expect(player.currentTime().currentTime == 1)
        #expect(player.queue.entries[1].error == nil)
    }

    @Test("playEntry starts any entry from its beginning, even if it is current or paused")
    func playing() async throws {
        let ids = try await put([rig.spec("a"), rig.spec("b")], play: false)
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.advance(2)
        #expect(currentID == ids[1] && player.currentTime().currentTime == 2)
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.advance(1)
        #expect(currentID == ids[1] && player.currentTime().currentTime == 1)
        await #expect(throws: PlayerRefusal.noEntry) { try await rig.perform(.playEntry("nothing")) }
    }

    @Test("insert after an entry with play plays the new one now, and the former successor follows it")
    func inserting() async throws {
        let ids = try await put([rig.spec("a"), rig.spec("b")])
        rig.rig.advance(1)
        guard case .entries(let new) = try await rig.perform(.insert([rig.spec("c", seconds: 1)], at: .after(ids[0]), play: true)) else {
            throw Unexpected()
        }
        rig.rig.advance(0.5)
        #expect(currentID == new[0])
        #expect(player.queue.entries.map(\.id) == [ids[0], new[0], ids[1]])
        rig.rig.advance(1)
        #expect(currentID == ids[1])
        await #expect(throws: PlayerRefusal.noEntry) { try await rig.perform(.insert([], at: .after("nothing"), play: false)) }
    }

    @Test("removing the playing last entry leaves no current one; play continues at the first")
    func removingLast() async throws {
        let ids = try await put([rig.spec("a"), rig.spec("b")])
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.advance(1)
        try await rig.perform(.removeEntry(ids[1]))
        rig.rig.run()
        #expect(currentID == nil && state.queue.count == 1)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(currentID == ids[0])
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("a playlist has at most the maximum number of entries, and a refused edit changes nothing")
    func capacity() async throws {
        let spec = rig.spec("a")
        _ = try await put(Array(repeating: spec, count: PlaylistMachine.maximumCount), play: false)
        rig.rig.run()
        let queue = player.queue.summary
        await #expect(throws: PlayerRefusal.tooManyEntries(maximum: PlaylistMachine.maximumCount)) {
            try await rig.perform(.insert([spec], at: .end, play: true))
        }
        await #expect(throws: PlayerRefusal.tooManyEntries(maximum: PlaylistMachine.maximumCount)) {
            try await rig.perform(.setQueue(Array(repeating: spec, count: PlaylistMachine.maximumCount + 1), play: true))
        }
        rig.rig.run()
        #expect(player.queue.summary == queue)
        #expect(state.rate == 0)
    }

    @Test("a queue has at most 64 MiB of text in bytes, and an edit beyond that is refused and changes nothing")
    func textCapacity() async throws {
        func spec(_ title: String) -> EntrySpec { EntrySpec(source: MediaSource(.file(path: "/a")), url: "file:///a", title: title) }
        // Each title has a quarter of the limit in bytes. Its characters have four bytes each.
        let quarter = spec(String(repeating: "😀", count: (16 << 20) / 4 - 100))
        _ = try await put(Array(repeating: quarter, count: 3), play: false)
        rig.rig.run()
        let queue = player.queue.summary
        let refusal = PlayerRefusal.queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        await #expect(throws: refusal) { try await rig.perform(.insert([quarter, quarter], at: .end, play: true)) }
        await #expect(throws: refusal) { try await rig.perform(.setQueue(Array(repeating: quarter, count: 5), play: true)) }
        rig.rig.run()
        #expect(player.queue.summary == queue)
        _ = try await rig.perform(.insert([quarter], at: .end, play: false))
        // A removed entry no longer counts against the limit.
        try await rig.perform(.removeEntry(player.queue.entries[0].id))
        _ = try await rig.perform(.insert([quarter], at: .end, play: false))
        #expect(player.queue.summary.count == 4)
    }

    @Test("a queue of a hundred thousand ordinary entries is within the limit")
    func ordinaryText() {
        let path = "/home/somebody/Music/An Artist of Some Renown/The Album (Remastered)/Disc 1/" + String(repeating: "x", count: 80) + ".flac"
        let spec = EntrySpec(
            source: MediaSource(.file(path: path)), url: "file://" + path, title: String(repeating: "t", count: 100),
            failure: PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path."))
        #expect(PlaylistMachine.maximumCount * spec.textSize < PlaylistMachine.maximumTextSize)
    }

    @Test("the queue is reported once for each turn in which it changed, with a new edition, and not otherwise")
    func events() async throws {
        let ids = try await put([rig.spec("a", seconds: 2), rig.spec("b", seconds: 2)])
        #expect(queueEvents == [QueueSummary(revision: 1, count: 2, currentID: ids[0], nextID: ids[1])])
        rig.rig.run()
        rig.clear()
        let edition = player.queueEdition
        try await rig.perform(.pause)
        try await rig.perform(.play(rate: 1.5))
        rig.rig.run()
        #expect(queueEvents == [] && player.queueEdition == edition)
        rig.rig.advance(2)
        #expect(queueEvents.last == QueueSummary(revision: 1, count: 2, currentID: ids[1], nextID: nil))
        #expect(player.queueEdition > edition)
    }

    @Test("a queue event precedes the state that shows its change")
    func order() async throws {
        var notices: [String] = []
        let observation = player.observe { notice in
            switch notice {
            case .event(.queueDidChange(let update)): notices.append("queue \(update.summary.currentID ?? "none")")
            case .event: break
            case .state(let state): notices.append("state \(state.currentItem?.id ?? "none")")
            }
        }
        defer { observation.cancel() }
        let ids = try await put([rig.spec("a")])
        #expect(notices.first == "queue \(ids[0])")
        #expect(notices.dropFirst().first == "state \(ids[0])")
    }

    @Test("with repetition, playback never stops at an end after any seeks and skips (R-QUEUE-06)", arguments: 1...30)
    func neverSticks(seed: UInt64) async throws {
        var generator = SplitMix64(state: seed)
        let count = Int.random(in: 1...4, using: &generator)
        _ = try await put((0..<count).map { rig.spec("m\($0)", seconds: Double.random(in: 0.2...3, using: &generator)) })
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .all; return update
                }()))
        rig.rig.run()
        for step in 0..<60 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1, 2: _ = try await rig.seek(.fraction(1))
            case 3: _ = try await rig.seek(.fraction(Double.random(in: 0.9...1, using: &generator)))
            case 4: try await rig.perform(.next)
            default: rig.rig.advance(Double.random(in: 0...1, using: &generator))
            }
            rig.rig.advance(0.01 * Double(Int.random(in: 0...20, using: &generator)))
            let before = (currentID, player.currentTime().currentTime)
            rig.rig.advance(0.125)
            #expect(state.rate == 1, "step \(step)")
            let after = (currentID, player.currentTime().currentTime)
            #expect(before != after, "step \(step) of seed \(seed)")
            if state.timeControlStatus != .playing { Issue.record("step \(step): \(state.timeControlStatus)") }
        }
    }
}
