import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import Player

/// Positions, edits of several entries, consumption, and the undoing of edits.
@Suite("PlaylistMachine: edits") struct QueueEditTests {
    private typealias Base = PlaylistMachineTests
    private static let edit = QueueEdit(kind: .insert, count: 0, origin: "test")

    private static func names(_ machine: PlaylistMachine) -> String { Base.names(machine.entries).joined() }
    /// The entries in playback order.
    private static func played(_ machine: PlaylistMachine) -> String {
        Base.names(machine.entries(0..<machine.entries.count, in: .playback)).joined()
    }
    private static func id(_ name: String, _ machine: PlaylistMachine) -> String {
        machine.entries.first { Base.names([$0]) == [name] }?.id ?? "nothing"
    }

    // MARK: Positions

    @Test("insert puts entries at each position of the display order")
    func inserting() {
        let machine = Base.machine(["a", "b", "c"])
        let cases: [(QueuePlace, String)] = [
            (.end, "abcxy"), (.next, "axybc"), (.before(machine.entries[0].id), "xyabc"), (.after(machine.entries[1].id), "abxyc"),
            (.index(2), "abxyc"), (.index(99), "abcxy"),
        ]
        for (position, expected) in cases {
            var copy = machine
            copy.insert([Base.spec("x"), Base.spec("y")], at: position)
            #expect(Self.names(copy) == expected)
            #expect(copy.current == machine.current)
        }
    }

    @Test("entries inserted next are played next, also while shuffled", arguments: 1...20)
    func insertingNext(seed: UInt64) {
        var machine = Base.machine(["a", "b", "c", "d"], seed: seed)
        machine.setShuffled(true)
        _ = machine.next()
        machine.insert([Base.spec("x"), Base.spec("y")], at: .next)
        #expect(Base.names(machine.upcoming(2)) == ["x", "y"])
        machine.insert([Base.spec("z")], at: .before(Self.id("y", machine)))
        #expect(Base.names(machine.upcoming(3)) == ["x", "z", "y"])
    }

    @Test("several entries move together, in their given order, to each position")
    func moving() {
        let machine = Base.machine(["a", "b", "c", "d", "e"])
        let moved = [Self.id("d", machine), Self.id("b", machine)]
        let cases: [(QueuePlace, String)] = [
            (.end, "acedb"), (.next, "adbce"), (.before(Self.id("a", machine)), "dbace"), (.after(Self.id("c", machine)), "acdbe"),
            (.index(0), "dbace"), (.index(2), "acdbe"), (.index(99), "acedb"), (.after(Self.id("b", machine)), "adbce"),
        ]
        for (position, expected) in cases {
            var copy = machine
            copy.move(moved, to: position)
            #expect(Self.names(copy) == expected)
        }
    }

    @Test("entries that are not all there, or given twice, are neither moved nor removed")
    func unknown() {
        var machine = Base.machine(["a", "b"])
        let revision = machine.revision
        let first = machine.entries[0].id
        let results = [
            machine.move([first, "nothing"], to: .end), machine.move([first], to: .after("nothing")), machine.move([first, first], to: .end),
            machine.remove([first, "nothing"]),
        ]
        #expect(results == [false, false, false, false])
        #expect(Self.names(machine) == "ab" && machine.revision == revision)
    }

    @Test("in a shuffled playlist a move changes the named order alone, and next changes both")
    func movingInOrder() {
        var machine = Base.machine(["a", "b", "c", "d"], seed: 3)
        machine.setShuffled(true)
        let played = Self.played(machine)
        let last = String(played.suffix(1))
        let id = Self.id(last, machine)
        var copy = machine
        copy.move([id], to: .index(1), in: .playback)
        #expect(Self.names(copy) == "abcd" && Base.names(copy.upcoming(1)) == [last] && copy.revision == machine.revision + 1)
        copy = machine
        copy.move([id], to: .index(0), in: .display)
        #expect(Self.names(copy).first == Character(last) && Self.played(copy) == played)
        copy = machine
        copy.move([id], to: .next)
        #expect(Base.names(copy.upcoming(1)) == [last])
        #expect(Self.names(copy).dropFirst().first == Character(last) || last == "b")
    }

    // MARK: Removing

    @Test("removing several entries with the current one makes the next remaining one current")
    func removing() {
        var machine = Base.machine(["a", "b", "c", "d"])
        machine.go(to: machine.entries[1].id)
        let size = machine.textSize
        machine.remove([Self.id("b", machine), Self.id("c", machine)])
        #expect(Self.names(machine) == "ad" && machine.current?.spec.url == "file:///d")
        #expect(machine.history == [machine.entries[0].id])
        #expect(machine.textSize == size / 2)
    }

    @Test("removing what follows keeps the current entry and those that were played before it, in the playback order", arguments: 1...20)
    func removingUpcoming(seed: UInt64) {
        var machine = Base.machine(["a", "b", "c", "d", "e"], seed: seed)
        machine.setShuffled(true)
        _ = machine.next()
        _ = machine.next()
        let kept = String(Self.played(machine).prefix(3))
        machine.removeUpcoming()
        #expect(Self.played(machine) == kept)
        #expect(machine.upcoming(1).isEmpty)
    }

    @Test("consumption removes an entry when another one follows it, but not by previous")
    func consuming() {
        var machine = Base.machine(["a", "b", "c"])
        machine.setConsuming(true)
        _ = machine.next()
        #expect(Self.names(machine) == "bc" && machine.history.isEmpty)
        machine.setConsuming(false)
        _ = machine.next()
        machine.setConsuming(true)
        _ = machine.previous()
        #expect(Self.names(machine) == "bc" && machine.current?.spec.url == "file:///b")
    }

    // MARK: Undoing

    private static func cleared(_ names: [String] = ["a", "b", "c"]) -> PlaylistMachine {
        var machine = Base.machine(names)
        machine.go(to: machine.entries[1].id)
        machine.record(edit, EditHistory.Playback(time: 12.5, isPlaying: true)) { $0.clear() }
        return machine
    }

    @Test("undo restores ids, order, the current entry, its playback and the history; redo repeats the edit")
    func undoing() throws {
        let former = {
            var machine = Base.machine(["a", "b", "c"])
            machine.go(to: machine.entries[1].id)
            return machine
        }()
        var machine = Self.cleared()
        let reverted = machine.revert(.undo, nil)
        let undone = try #require(reverted)
        #expect(machine.entries == former.entries && machine.currentID == former.currentID && machine.history == former.history)
        #expect(machine.textSize == former.textSize && machine.revision > former.revision)
        #expect(undone.playback == EditHistory.Playback(time: 12.5, isPlaying: true) && undone.hasOtherCurrent)
        #expect(machine.edits == RevertibleEdits(undo: nil, redo: Self.edit))
        _ = machine.revert(.redo, nil)
        #expect(machine.entries.isEmpty && machine.currentID == nil)
        #expect(machine.edits == RevertibleEdits(undo: Self.edit, redo: nil))
    }

    @Test("undo keeps the entry that is current now if it was there before the edit")
    func keepingCurrent() throws {
        var machine = Base.machine(["a", "b", "c"])
        machine.record(Self.edit, EditHistory.Playback(time: 1, isPlaying: true)) { $0.remove($0.entries[2].id) }
        _ = machine.next()
        let reverted = machine.revert(.undo, nil)
        let undone = try #require(reverted)
        #expect(machine.current?.spec.url == "file:///b" && !undone.hasOtherCurrent && undone.playback == nil)
        #expect(Self.names(machine) == "abc")
    }

    @Test("undoing the insertion of the entry that plays now goes back to the one before")
    func undoingInserted() throws {
        var machine = Base.machine(["a", "b"])
        machine.record(Self.edit, EditHistory.Playback(time: 7, isPlaying: false)) { _ = $0.insert([Base.spec("x")], at: .next) }
        _ = machine.next()
        #expect(machine.current?.spec.url == "file:///x")
        let reverted = machine.revert(.undo, nil)
        let undone = try #require(reverted)
        #expect(machine.current?.spec.url == "file:///a" && undone.playback?.time == 7)
    }

    @Test("undo restores the shuffled order")
    func undoingShuffled() throws {
        var machine = Base.machine((0..<8).map(String.init), seed: 5)
        machine.setShuffled(true)
        let played = Self.played(machine)
        machine.record(Self.edit, nil) { $0.move([$0.entries[6].id], to: .next) }
        #expect(Self.played(machine) != played)
        _ = machine.revert(.undo, nil)
        #expect(Self.played(machine) == played)
    }

    @Test("an entry that was consumed in the meantime is not restored, and the one after it becomes current")
    func undoingConsumed() throws {
        var machine = Base.machine(["a", "b"])
        machine.setConsuming(true)
        machine.record(Self.edit, EditHistory.Playback(time: 3, isPlaying: true)) { _ = $0.insert([Base.spec("x")], at: .next) }
        _ = machine.next()
        #expect(Self.names(machine) == "xb")
        let reverted = machine.revert(.undo, nil)
        let undone = try #require(reverted)
        #expect(Self.names(machine) == "b" && machine.current?.spec.url == "file:///b" && undone.playback == nil)
    }

    @Test("twenty edits can be undone, and an edit ends the possibility to repeat")
    func limit() {
        var machine = Base.machine([])
        for number in 0..<25 { machine.record(Self.edit, nil) { _ = $0.insert([Base.spec("\(number)")]) } }
        machine.record(Self.edit, nil) { _ = $0.move("nothing", to: 0) }
        var count = 0
        while machine.revert(.undo, nil) != nil { count += 1 }
        #expect(count == EditHistory.maximumCount && machine.entries.count == 5)
        _ = machine.revert(.redo, nil)
        #expect(machine.entries.count == 6 && machine.edits.redo != nil)
        machine.record(Self.edit, nil) { _ = $0.insert([Base.spec("x")]) }
        #expect(machine.edits.redo == nil)
    }

    @Test("records keep at most 16 MiB of removed text and 40,000 entries, two of each that is replaced")
    func memory() {
        let large = EntrySpec(source: MediaSource(.file(path: "/a")), url: "file:///a", title: String(repeating: "t", count: 6 << 20))
        var machine = Base.machine([])
        for _ in 0..<6 { machine.record(Self.edit, nil) { $0.replace(with: [large]) } }
        var count = 0
        while machine.revert(.undo, nil) != nil { count += 1 }
        // Two undo records contain 12 MiB; with a third they would contain more than the limit of 16 MiB.
        #expect(count == 2)
        let many = Array(repeating: Base.spec("a"), count: 10_000)
        for _ in 0..<5 { machine.record(Self.edit, nil) { $0.replace(with: many) } }
        count = 0
        while machine.revert(.undo, nil) != nil { count += 1 }
        #expect(count == 2)
    }

    @Test(
        "after any sequence of edits and undos the orders are complete, and undo and redo restore the order before them",
        arguments: 1...(TestDepth.isThorough ? 100 : 20))
    func anything(seed: UInt64) {
        var generator = SplitMix64(state: seed)
        var machine = PlaylistMachine(seed: seed)
        /// The display order before each edit that can still be undone, and before each undo that can still be repeated.
        var before: [[String]] = []
        var undone: [[String]] = []
        /// Whether the entries of the playlist are those of a former order, without those that were played, and therefore removed, since.
        func isRestored(_ former: [String]) -> Bool {
            let present = machine.entries.map(\.id)
            return present == former.filter(Set(present).contains)
        }
        for step in 0..<1000 {
            let ids = machine.entries.map(\.id)
            let some = Array(ids.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)))
            let id = some.first ?? "nothing"
            let position: QueuePlace =
                [.end, .next, .before(id), .after(id), .index(Int.random(in: 0...20, using: &generator))].randomElement(using: &generator) ?? .end
            let revision = machine.revision
            func edit(_ body: (inout PlaylistMachine) -> Void) {
                machine.record(Self.edit, nil, body)
                guard machine.revision != revision else { return }
                before.append(ids)
                undone = []
            }
            switch Int.random(in: 0..<18, using: &generator) {
            case 0, 1: edit { $0.insert((0..<2).map { Base.spec("\(step).\($0)") }, at: position) }
            case 2: edit { $0.remove(Set(some)) }
            case 3: edit { $0.move(some, to: position, in: step % 2 == 0 ? .display : .playback) }
            case 4: if step % 10 == 0 { edit { $0.clear() } }
            case 5: if step % 10 == 0 { edit { $0.replace(with: (0..<5).map { Base.spec("\(step).\($0)") }, current: 2) } }
            case 6: if step % 7 == 0 { edit { $0.removeUpcoming() } }
            case 7: machine.setShuffled(Bool.random(using: &generator), seed: step % 3 == 0 ? UInt64(step) : nil)
            case 8: machine.setConsuming(step % 4 == 0)
            case 9: machine.go(to: id)
            case 10: _ = machine.next()
            case 11: _ = machine.previous()
            case 12:
                guard machine.revert(.redo, nil) != nil, let expected = undone.popLast() else { continue }
                before.append(ids)
                #expect(isRestored(expected), "step \(step)")
            case 13:
                guard let media = machine.expand(id, into: (0..<3).map { Base.spec("\(step).\($0)") }, current: 0)?.map(\.id) else { continue }
                let expanded = { (order: [String]) in order.flatMap { $0 == id ? media : [$0] } }
                (before, undone) = (before.map(expanded), undone.map(expanded))
            case 14:
                let kept = Array(ids.indices.shuffled(using: &generator).prefix(8))
                guard !kept.isEmpty else { continue }
                edit { _ = $0.replace(with: kept.map { Base.spec("\(step).\($0)") }, keeping: kept.map { $0 % 3 == 0 ? nil : $0 }) }
            default:
                guard machine.revert(.undo, nil) != nil, let expected = before.popLast() else { continue }
                undone.append(ids)
                #expect(isRestored(expected), "step \(step)")
            }
            let count = machine.entries.count
            #expect(machine.currentID.map { machine.index(of: $0) != nil } ?? true)
            #expect(Set(machine.entries(0..<count, in: .playback).map(\.id)) == Set(machine.entries.map(\.id)), "step \(step)")
            #expect(machine.entries.enumerated().allSatisfy { machine.index(of: $1.id) == $0 })
            #expect(machine.history.allSatisfy { machine.index(of: $0) != nil })
            #expect(machine.textSize == PlaylistMachine.textSize(of: machine.entries.map(\.spec)))
        }
    }
}
