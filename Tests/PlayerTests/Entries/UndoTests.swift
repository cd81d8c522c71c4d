import PlaybackEngine
import Testing

@testable import Player

/// What `undo` restores after the playlist has changed without an edit: by playback, by `previous`, or by another shuffle.
@Suite("PlaylistMachine: undo after playback") struct UndoTests {
    private typealias Base = PlaylistMachineTests
    private static let edit = QueueEdit(kind: .remove, count: 1, origin: "test")
    private static let replacement = QueueEdit(kind: .replace, count: 3, origin: "test")

    private static func names(_ machine: PlaylistMachine) -> String { Base.names(machine.entries).joined() }
    private static func name(_ id: String?, _ machine: PlaylistMachine) -> String {
        id.flatMap(machine.entry).map { Base.names([$0]).joined() } ?? "nothing"
    }
    private static func ids(_ machine: PlaylistMachine) -> [String] { machine.entries.map(\.id) }
    private static func played(_ machine: PlaylistMachine) -> [String] { machine.entries(0..<machine.entries.count, in: .playback).map(\.id) }
    private static func shuffled(_ names: [String]) -> PlaylistMachine {
        var machine = Base.machine(names, seed: 5)
        machine.setShuffled(true)
        return machine
    }
    private static func titled(_ entry: PlaylistEntry, _ title: String) -> EntrySpec {
        var spec = entry.spec
        spec.title = title
        return spec
    }

    // MARK: Entries

    @Test("an entry whose title the edit has changed stays removed after it was consumed")
    func changedAndConsumed() throws {
        var machine = Base.machine(["a", "b", "c"])
        machine.setConsuming(true)
        let specs = machine.entries.map { Self.titled($0, "New") }
        machine.record(Self.replacement, nil) { _ = $0.replace(with: specs, keeping: [0, 1, 2]) }
        _ = machine.next()
        let reverted = machine.revert(.undo, nil)
        let undone = try #require(reverted)
        #expect(Self.names(machine) == "bc" && machine.entries.allSatisfy { $0.spec.title == nil })
        #expect(!undone.hasOtherCurrent)
    }

    @Test("a replacement with the same entries in the same order is not recorded", arguments: [false, true])
    func unchanged(isShuffled: Bool) {
        var machine = Base.machine(["a", "b", "c"])
        machine.setShuffled(isShuffled)
        let specs = machine.entries.map(\.spec)
        machine.record(Self.replacement, nil) { _ = $0.replace(with: specs, keeping: [0, 1, 2]) }
        #expect(machine.edits.undo == nil)
    }

    @Test("undo of a replacement that only made another entry current makes the former entry current; redo repeats that")
    func otherStart() throws {
        var machine = Base.machine(["a", "b", "c"])
        let (specs, ids) = (machine.entries.map(\.spec), Self.ids(machine))
        machine.record(Self.replacement, EditHistory.Playback(time: 4, isPlaying: true)) {
            _ = $0.replace(with: specs, keeping: [0, 1, 2], current: 2)
        }
        #expect(machine.currentID == ids[2])
        let reverted = machine.revert(.undo, EditHistory.Playback(time: 1, isPlaying: true))
        let undone = try #require(reverted)
        #expect(machine.currentID == ids[0] && undone.playback?.time == 4)
        let repeated = machine.revert(.redo, nil)
        #expect(machine.currentID == ids[2] && repeated?.playback?.time == 1)
    }

    @Test("undo of a replacement that made another entry current keeps an entry that became current later")
    func laterStart() {
        var machine = Base.machine(["a", "b", "c"])
        let (specs, ids) = (machine.entries.map(\.spec), Self.ids(machine))
        machine.record(Self.replacement, nil) { _ = $0.replace(with: specs, keeping: [0, 1, 2], current: 2) }
        machine.go(to: ids[1])
        let reverted = machine.revert(.undo, nil)
        #expect(machine.currentID == ids[1] && reverted?.hasOtherCurrent == false)
    }

    // MARK: Shuffled playback

    @Test("if the current entry of a shuffled playlist was consumed, the entry after it in the playback order becomes current", arguments: 1...20)
    func consumedWhileShuffled(seed: UInt64) {
        var machine = Base.machine(["a", "b", "c", "d", "e"], seed: seed)
        machine.setShuffled(true)
        machine.setConsuming(true)
        let order = Self.played(machine)
        var inserted: String?
        machine.record(Self.edit, nil) { inserted = $0.insert([Base.spec("x")], at: .next)?.first?.id }
        _ = machine.next()
        #expect(machine.currentID == inserted)
        _ = machine.revert(.undo, nil)
        #expect(machine.currentID == order[1])
    }

    @Test("after another shuffle, undo keeps the new playback order, and plays the restored entries after the current one", arguments: 1...20)
    func shuffledSince(seed: UInt64) {
        var machine = Self.shuffled((0..<8).map(String.init))
        let removed = machine.upcoming(7).suffix(2).map(\.id)
        machine.record(Self.edit, nil) { _ = $0.remove(Set(removed)) }
        machine.setShuffled(true, seed: seed)
        _ = machine.next()
        _ = machine.next()
        let (order, current) = (Self.played(machine), machine.currentID)
        _ = machine.revert(.undo, nil)
        let new = Self.played(machine)
        #expect(machine.currentID == current && new.filter { !removed.contains($0) } == order)
        #expect(removed.allSatisfy { id in machine.upcoming(8).contains { $0.id == id } })
    }

    @Test("after another shuffle, an entry that is current again is the first one in the playback order")
    func shuffledSinceWithRestoredCurrent() {
        var machine = Self.shuffled((0..<8).map(String.init))
        let current = machine.currentID
        machine.record(Self.edit, nil) { $0.clear() }
        machine.setShuffled(true, seed: 9)
        _ = machine.revert(.undo, nil)
        #expect(machine.currentID == current && Self.played(machine).first == current && machine.upcoming(9).count == 7)
    }

    // MARK: History

    @Test("removed entries are in the history again, before the entries that became current since")
    func history() {
        var machine = Base.machine(["a", "b", "c", "d"])
        let ids = Self.ids(machine)
        for id in [ids[1], ids[2]] { machine.go(to: id) }
        machine.record(Self.edit, nil) { _ = $0.remove(ids[1]) }
        machine.go(to: ids[3])
        _ = machine.revert(.undo, nil)
        #expect(machine.history == [ids[0], ids[1], ids[2]])
        _ = machine.previous()
        _ = machine.previous()
        #expect(Self.name(machine.currentID, machine) == "b")
    }

    @Test("after previous has left the history of the edit, undo keeps the present history")
    func historyLeft() {
        var machine = Base.machine(["a", "b", "c"])
        let ids = Self.ids(machine)
        for id in [ids[1], ids[2]] { machine.go(to: id) }
        machine.record(Self.edit, nil) { _ = $0.remove(ids[1]) }
        _ = machine.previous()
        #expect(machine.currentID == ids[0] && machine.history.isEmpty)
        _ = machine.revert(.undo, nil)
        #expect(machine.currentID == ids[0] && machine.history.isEmpty)
    }

    @Test("the history has at most 1,000 entries after an undo")
    func historyLimit() {
        var machine = Base.machine(["a", "b", "c"])
        let ids = Self.ids(machine)
        for step in 1...1000 { machine.go(to: ids[step % 3]) }
        machine.record(Self.edit, nil) { _ = $0.remove(ids[2]) }
        for step in 1...500 { machine.go(to: ids[step % 2]) }
        _ = machine.revert(.undo, nil)
        #expect(machine.history.count == PlaylistMachine.maximumHistory)
    }

    // MARK: Limits

    @Test("the entries that edits have changed count for the limits of the records")
    func changedText() {
        var machine = Base.machine(["a"])
        for letter in ["s", "t", "u", "v", "w", "x"] {
            let large = Self.titled(machine.entries[0], String(repeating: letter, count: 6 << 20))
            machine.record(Self.replacement, nil) { _ = $0.replace(with: [large], keeping: [0]) }
        }
        var count = 0
        while machine.revert(.undo, nil) != nil { count += 1 }
        #expect(count == 2)
    }

    @Test("the ids of removed entries are known until no undo or redo can restore the entries")
    func removedIDs() {
        var machine = Base.machine(["a"])
        let id = machine.entries[0].id
        machine.record(Self.edit, nil) { _ = $0.remove(id) }
        #expect(machine.editHistory.removedIDs == [id])
        _ = machine.revert(.undo, nil)
        #expect(machine.editHistory.removedIDs.isEmpty)
        machine.record(Self.edit, nil) { _ = $0.remove(id) }
        for number in 0..<EditHistory.maximumCount { machine.record(Self.edit, nil) { _ = $0.insert([Base.spec("\(number)")]) } }
        #expect(machine.editHistory.removedIDs.isEmpty)
    }
}
