import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The changes in queue events, applied to a copy of the queue as a client applies them.
@Suite("PlaylistPlayer: queue updates") @MainActor struct QueueUpdateTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }

    private var updates: [QueueUpdate] { rig.events.compactMap { if case .queueDidChange(let update) = $0 { update } else { nil } } }

    /// Applies updates to a copy of the queue. Entries that an update only names are read from the player, as a client reads them from the server.
    private func apply(_ updates: [QueueUpdate], to copy: inout [PlayerState.Item], _ revision: inout Int) {
        for update in updates {
            #expect(update.previousRevision == revision)
            revision = update.summary.revision
            for change in update.changes ?? [] {
                switch change {
                case .insert(let index, let count, let entries):
                    copy.insert(contentsOf: entries ?? page(index, count), at: index)
                case .remove(let index, let count): copy.removeSubrange(index..<(index + count))
                case .move(let index, let count, let target):
                    let moved = Array(copy[index..<(index + count)])
                    copy.removeSubrange(index..<(index + count))
                    copy.insert(contentsOf: moved, at: target)
                case .update(let index, let count, let entries): copy.replaceSubrange(index..<(index + count), with: entries ?? page(index, count))
                }
            }
            if update.changes == nil { copy = player.queue.entries }
        }
    }
    private func page(_ index: Int, _ count: Int) -> [PlayerState.Item] {
        player.queue(QueuePage(start: .offset(index), limit: count)).entries
    }

    @Test("a copy that applies the changes of all events equals the queue, after any edits, failures and loads", arguments: 1...20)
    func copy(seed: UInt64) async throws {
        var generator = SplitMix64(state: seed)
        var copy: [PlayerState.Item] = []
        var revision = 0
        for name in ["a", "b", "c"] {
            rig.rig.add(name, ScriptedMedium(seconds: 2, metadata: [MetadataEntry(key: "title", value: name.uppercased())]))
        }
        for _ in 0..<80 {
            let ids = player.playlist.entries.map(\.id)
            let some = Array(ids.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)))
            let specs = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                rig.spec(of: ["a", "b", "c", "missing"].randomElement(using: &generator) ?? "a")
            }
            let command: PlayerCommand? =
                switch Int.random(in: 0..<12, using: &generator) {
                case 0, 1, 2: .insert(specs, at: .index(Int.random(in: 0...9, using: &generator)), play: Bool.random(using: &generator))
                case 3: some.isEmpty ? nil : .removeEntries(some)
                case 4, 5: some.isEmpty ? nil : .moveEntries(some, to: .index(Int.random(in: 0...9, using: &generator)), order: .display)
                case 6: .undo
                case 7: .redo
                case 8: .next
                case 9: some.first.map { .playEntry($0) }
                case 10: .setQueue(specs, play: nil)
                default: nil
                }
            if let command { _ = try? await rig.perform(command) }
            // Several edits in one turn of the main actor are reported by one event.
            if Bool.random(using: &generator) { rig.rig.advance(Double.random(in: 0...2, using: &generator)) }
            rig.rig.run()
            apply(updates, to: &copy, &revision)
            rig.clear()
            #expect(copy == player.queue.entries)
            #expect(revision == player.playlist.revision)
        }
    }

    @Test("a move within 5,000 entries is one change, and next is none")
    func move() async throws {
        let spec = rig.spec("a")
        let ids = try await rig.append(Array(repeating: spec, count: 5000))
        rig.rig.run()
        #expect(updates.first?.changes == [.insert(index: 0, count: 5000, entries: nil)])
        rig.clear()
        try await rig.perform(.moveEntry(ids[4800], to: 3))
        rig.rig.run()
        #expect(updates.first?.changes == [.move(index: 4800, count: 1, to: 3)])
        // The player opens the next entries ahead of time, and their facts are reported.
        rig.rig.advance(1)
        rig.clear()
        try await rig.perform(.next)
        #expect(updates.first?.changes == [] && updates.first?.summary.currentID == ids[1])
    }

    @Test("more new entries than the limit are named without their properties")
    func large() async throws {
        let spec = rig.spec("a")
        try await rig.append(Array(repeating: spec, count: QueueUpdate.maximumEntryCount))
        guard case .insert(_, _, let entries?)? = updates.last?.changes?.first else { throw NoEntries() }
        #expect(entries.count == QueueUpdate.maximumEntryCount)
        rig.clear()
        try await rig.append(Array(repeating: spec, count: QueueUpdate.maximumEntryCount + 1))
        #expect(updates.last?.changes?.first == .insert(index: 64, count: 65, entries: nil))
    }
    struct NoEntries: Error {}

    @Test("a shuffle is reported as a change of the playback order alone")
    func shuffle() async throws {
        try await rig.append([rig.spec("a"), rig.spec("b"), rig.spec("c")])
        rig.rig.advance(1)
        rig.clear()
        var update = PlayerUpdate()
        update.isShuffled = true
        try await rig.perform(.update(update))
        #expect(updates.map(\.isPlaybackOrderChanged) == [true] && updates.map(\.changes) == [[]])
        rig.clear()
        try await rig.perform(.next)
        #expect(updates.first?.isPlaybackOrderChanged == false)
    }

    @Test("the state has the next entry, with its title before the medium is opened and its facts afterwards")
    func nextEntry() async throws {
        rig.rig.add("b", ScriptedMedium(seconds: 4, metadata: [MetadataEntry(key: "artist", value: "Somebody")]))
        let ids = try await rig.append([rig.spec("a"), rig.spec(of: "b", title: "Named")])
        #expect(player.state.nextEntry == PlayerState.NextEntry(id: ids[1], url: "file:///b", title: "Named"))
        rig.rig.advance(1)
        #expect(rig.states.last?.nextEntry?.artist == "Somebody" && rig.states.last?.nextEntry?.duration == 4)
        try await rig.perform(.next)
        #expect(player.state.nextEntry == nil)
    }
}
