import Testing

@testable import Player

/// The steps of edits, which events name to clients.
@Suite struct QueueChangeTests {
    private typealias Base = PlaylistMachineTests
    private static let edit = QueueEdit(kind: .move, count: 1, origin: "test")

    /// A playlist of ten entries whose changes were taken.
    private static func machine(_ count: Int = 10) -> PlaylistMachine {
        var machine = Base.machine((0..<count).map(String.init))
        _ = machine.takeChange()
        return machine
    }
    private static func ids(_ machine: PlaylistMachine, _ range: Range<Int>) -> [String] { machine.entries[range].map(\.id) }

    /// The removal of the entries at the indices `range`, and their insertion at the index `target` of the remaining list.
    private static func move(_ range: Range<Int>, to target: Int, in entries: [PlaylistEntry]) -> QueueChange {
        var change = QueueChange()
        change.remove(entries[range], at: range.lowerBound)
        change.insert(entries[range], at: target)
        return change
    }

    @Test("an entry that moves far is removed and inserted again, alone, and so it is by undo", arguments: [(9, 3), (3, 9), (0, 1), (8, 0)])
    func single(from: Int, to: Int) {
        var machine = Self.machine()
        let former = machine.entries
        machine.record(Self.edit, nil) { _ = $0.move($0.entries[from].id, to: to) }
        #expect(machine.takeChange().steps == Self.move(from..<(from + 1), to: to, in: former).steps)
        let moved = machine.entries
        _ = machine.revert(.undo, nil)
        #expect(machine.takeChange().steps == Self.move(to..<(to + 1), to: from, in: moved).steps)
    }

    @Test("neighbours that move or are removed together are one run")
    func runs() {
        var machine = Self.machine()
        let former = machine.entries
        machine.move(former[5..<8].map(\.id), to: .index(0))
        #expect(machine.takeChange().steps == Self.move(5..<8, to: 0, in: former).steps)
        machine = Self.machine()
        machine.move([former[1].id, former[2].id, former[5].id], to: .end)
        #expect(machine.takeChange().steps.map(\.index) == [1, 8, 3, 9])
        machine = Self.machine()
        machine.remove(Set([former[2], former[3], former[8]].map(\.id)))
        #expect(machine.takeChange().steps.map(\.entries) == [[former[8]], Array(former[2..<4])])
    }

    @Test("a new list replaces only the part that differs, a kept entry with another title included")
    func replaced() {
        var machine = Self.machine(3)
        let former = machine.entries
        var specs = former.map(\.spec)
        specs[1].title = "New"
        _ = machine.replace(with: specs, keeping: [0, 1, 2])
        let change = machine.takeChange()
        #expect(change.steps.map(\.index) == [1, 1] && change.steps.map(\.entries) == [[former[1]], [machine.entries[1]]])
        #expect(machine.entries.map(\.id) == former.map(\.id) && machine.entries[1].spec.title == "New")
    }

    @Test("entries that were moved, or removed and inserted again, have no other version")
    func versions() {
        var machine = Self.machine()
        let former = machine.entries
        machine.move(former[1].id, to: 7)
        machine.record(Self.edit, nil) { _ = $0.remove(former[3].id) }
        _ = machine.revert(.undo, nil)
        machine.remove(former[5].id)
        machine.remove(machine.insert([Base.spec("x")])?[0].id ?? "")
        let new = machine.insert([Base.spec("y")])?[0].id
        let versions = machine.takeChange().versions
        #expect(Array(versions.removed.keys) == [former[5].id] && Array(versions.inserted.keys) == [new])
    }

    @Test("an edit of more runs than the limit is one removal and one insertion, which undo reverts", arguments: [false, true])
    func tooMany(isMove: Bool) {
        var machine = Self.machine(1000)
        let former = machine.entries
        let odd = stride(from: 1, to: 1000, by: 2).map { former[$0].id }
        machine.record(Self.edit, nil) { if isMove { $0.move(odd, to: .index(0)) } else { $0.remove(Set(odd)) } }
        #expect(machine.takeChange().steps.count == 2 && machine.entries.count == (isMove ? 1000 : 500))
        #expect(machine.entries.prefix(500).map(\.id) == (isMove ? odd : former.map(\.id).filter { !odd.contains($0) }))
        _ = machine.revert(.undo, nil)
        #expect(machine.entries == former)
    }

    @Test("entries that an event does not describe can be read if no change follows")
    func readable() {
        typealias Change = QueueUpdate.Change
        let many = Change.insert(index: 2, count: 70, entries: nil)
        let cases: [([Change], Bool)] = [
            ([.remove(index: 0, count: 3), .move(index: 0, count: 1, to: 5), many], true), ([.update(index: 2, count: 70, entries: nil)], true),
            ([many, many], false), ([many, .remove(index: 0, count: 1)], false), ([many, .move(index: 0, count: 1, to: 5)], false),
            ([.update(index: 2, count: 70, entries: nil), .remove(index: 0, count: 1)], false),
        ]
        for (changes, expected) in cases { #expect(QueueUpdate.areReadable(changes) == expected) }
    }
}
