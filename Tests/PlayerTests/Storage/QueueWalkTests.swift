import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import Player

/// Random edits of a queue, each of which gives one `QueueChange`: undo is its inverse, an event tells it to clients, and the database writes its rows.
@Suite("A change of the queue") @MainActor struct QueueWalkTests {
    private let directory: TemporaryDirectory
    private let model = QueueModel(seed: 1)
    init() throws { directory = try TemporaryDirectory() }

    private func describe(_ entry: PlaylistEntry) -> PlayerState.Item { model.describe(entry, open: nil) }

    /// Applies an event to a client's copy of the queue. Entries that the event only names are read from the queue after it.
    private func apply(_ update: QueueUpdate, to copy: inout [PlayerState.Item]) {
        func read(_ index: Int, _ count: Int) -> [PlayerState.Item] { model.playlist.entries[index..<(index + count)].map(describe) }
        guard let changes = update.changes else { return copy = model.playlist.entries.map(describe) }
        for change in changes {
            switch change {
            case .insert(let index, let count, let entries): copy.insert(contentsOf: entries ?? read(index, count), at: index)
            case .remove(let index, let count): copy.removeSubrange(index..<(index + count))
            case .move(let index, let count, let target):
                let moved = Array(copy[index..<(index + count)])
                copy.removeSubrange(index..<(index + count))
                copy.insert(contentsOf: moved, at: target)
            case .update(let index, let count, let entries): copy.replaceSubrange(index..<(index + count), with: entries ?? read(index, count))
            }
        }
    }

    private func edit(_ chance: inout SplitMix64) {
        let ids = model.playlist.entries.map(\.id)
        let some = Array(ids.shuffled(using: &chance).prefix(Int.random(in: 1...4, using: &chance)))
        let id = some.first ?? "nothing"
        let count = ids.count < 60 ? Int.random(in: 0..<30, using: &chance) == 0 ? 70 : Int.random(in: 1...3, using: &chance) : 0
        let specs = EntrySpec.files(count)
        let place: QueuePlace = [.end, .next, .before(id), .after(id), .index(count)].randomElement(using: &chance) ?? .end
        let order: QueueOrder = Bool.random(using: &chance) ? .display : .playback
        func record(_ body: (inout PlaylistMachine) -> Void) {
            model.edit { $0.record(QueueEdit(kind: .insert, count: 1, origin: "test"), nil, body) }
        }
        switch Int.random(in: 0..<22, using: &chance) {
        case 0...3: record { $0.insert(specs, at: place) }
        case 4...6: record { $0.remove(Set(some)) }
        case 7...9: record { $0.move(some, to: place, in: order) }
        case 10: record { $0.removeUpcoming() }
        case 11:
            var kept = ids.indices.filter { _ in Int.random(in: 0..<5, using: &chance) > 0 }
            if Bool.random(using: &chance) { kept.shuffle(using: &chance) }
            let old = kept.map { model.playlist.entries[$0].spec } + specs
            let changed = old.indices.randomElement(using: &chance)
            let titled = old.indices.map { index in
                var spec = old[index]
                if index == changed { spec.title = "\(chance.next())" }
                return spec
            }
            record { _ = $0.replace(with: titled, keeping: kept + specs.map { _ in nil }) }
        case 12: record { if ids.count > 20 { $0.clear() } }
        case 13: model.editOrder { $0.setShuffled(Bool.random(using: &chance)) }
        case 14: model.edit { $0.setConsuming(Int.random(in: 0..<3, using: &chance) == 0) }
        case 15: model.edit { _ = $0.go(to: id) }
        case 16: model.edit { _ = $0.next() }
        case 17: model.edit { _ = $0.expand(id, into: [.file("list/1"), .file("list/2")], current: 0) }
        case 18: if let id = some.first { model.fail(id, with: PlayerState.Failure(code: .fileNotFound, message: "There is no file.")) }
        case 19: model.edit { _ = $0.revert(.redo, nil) }
        default: model.edit { _ = $0.revert(.undo, nil) }
        }
    }

    @Test("after any edits and undos, the inverse gives the queue before them, and the event and the database give the queue after them")
    func walk() throws {
        var chance = SplitMix64(state: 20)
        let open = try OpenTables(directory)
        let store = StateStore(clock: VirtualClock(), report: {})
        var copy: [PlayerState.Item] = []
        var revision = 0
        for step in 1...(TestDepth.isThorough ? 100_000 : 2_000) {
            let former = model.playlist.entries
            for _ in 0..<Int.random(in: 1...3, using: &chance) { edit(&chance) }
            let entries = model.playlist.entries

            let change = model.unpublished
            var list = former
            list.apply(change)
            #expect(list == entries, "step \(step)")
            list.apply(change.inverse)
            #expect(list == former, "step \(step)")

            if let update = model.takeUpdate(describe) {
                #expect(update.previousRevision == revision)
                revision = update.summary.revision
                apply(update, to: &copy)
            }
            #expect(copy == entries.map(describe) && revision == model.playlist.revision, "step \(step)")

            store.keep(SavedPlayer(model.playlist, edition: model.edition, after: change))
            // Changes that arrive during a write are written together.
            guard Bool.random(using: &chance) else { continue }
            #expect(!store.step(open.tables))
            let read = try #require(try open.read())
            #expect(Fingerprint(read.playlist) == Fingerprint(model.playlist.saved) && read.playlist.entries == entries, "step \(step)")
        }
    }
}
