import PlaybackEngine
import Testing

@testable import Playlist

@Suite("PlaylistMachine") struct PlaylistMachineTests {
    static func spec(_ name: String) -> EntrySpec { EntrySpec(source: MediaSource(.file(path: "/" + name)), url: "file:///" + name) }
    static func machine(_ names: [String], seed: UInt64 = 1) -> PlaylistMachine {
        var machine = PlaylistMachine(seed: seed)
        machine.replace(with: names.map(spec))
        return machine
    }
    static func names(_ entries: [PlaylistEntry]) -> [String] { entries.map { String($0.spec.url.dropFirst(8)) } }

    @Test("replacing makes the first entry current and ids are never used again")
    func replacing() {
        var machine = Self.machine(["a", "b"])
        let former = Set(machine.entries.map(\.id))
        machine.replace(with: [Self.spec("c")])
        #expect(machine.current?.spec.url == "file:///c")
        #expect(former.isDisjoint(with: machine.entries.map(\.id)))
    }

    @Test("the text of the entries is counted through every edit")
    func textSize() {
        var machine = Self.machine(["a", "bé"])
        // A path and a URL of each.
        #expect(machine.textSize == (2 + 9) + (4 + 11))
        machine.insert([Self.spec("c")], after: machine.entries[0].id)
        machine.move(machine.entries[0].id, to: 2)
        #expect(machine.textSize == 11 + 15 + 11)
        machine.remove(machine.entries[1].id)
        #expect(machine.textSize == 22)
        machine.replace(with: [Self.spec("a")])
        #expect(machine.textSize == 11)
        machine.clear()
        #expect(machine.textSize == 0)
    }

    @Test("entries are put behind another, or at the end; an unknown one is refused")
    func inserting() {
        var machine = Self.machine(["a", "b"])
        machine.insert([Self.spec("c")])
        machine.insert([Self.spec("x"), Self.spec("y")], after: machine.entries[0].id)
        #expect(Self.names(machine.entries) == ["a", "x", "y", "b", "c"])
        let revision = machine.revision
        #expect(machine.insert([Self.spec("z")], after: "nothing") == nil)
        #expect(machine.revision == revision)
    }

    @Test("removing the current entry makes the one behind it current, or none behind the last")
    func removing() {
        var machine = Self.machine(["a", "b", "c"])
        machine.go(to: machine.entries[1].id)
        machine.remove(machine.entries[1].id)
        #expect(machine.current?.spec.url == "file:///c")
        machine.remove(machine.entries[1].id)
        #expect(machine.current == nil)
        #expect(machine.remove("nothing") == false)
    }

    @Test("moving keeps the current entry and clamps the index", arguments: [(-5, ["c", "a", "b"]), (1, ["a", "c", "b"]), (99, ["a", "b", "c"])])
    func moving(index: Int, expected: [String]) {
        var machine = Self.machine(["a", "b", "c"])
        machine.move(machine.entries[2].id, to: index)
        #expect(Self.names(machine.entries) == expected)
        #expect(machine.current?.spec.url == "file:///a")
    }

    @Test(
        "what follows: to the end, around, or the same again",
        arguments: [
            (PlaylistMachine.RepeatMode.off, ["c"]), (.all, ["c", "a", "b", "c"]), (.one, ["b", "b", "b", "b"]),
        ])
    func following(mode: PlaylistMachine.RepeatMode, expected: [String]) {
        var machine = Self.machine(["a", "b", "c"])
        machine.go(to: machine.entries[1].id)
        machine.setRepeatMode(mode)
        #expect(Self.names(machine.upcoming(4)) == expected)
    }

    @Test("an only entry repeats with all as with one")
    func onlyEntry() {
        var machine = Self.machine(["a"])
        #expect(machine.upcoming(2).isEmpty)
        machine.setRepeatMode(.all)
        #expect(Self.names(machine.upcoming(2)) == ["a", "a"])
    }

    @Test("next leaves a repeated entry, and ends at the end")
    func next() {
        var machine = Self.machine(["a", "b"])
        machine.setRepeatMode(.one)
        #expect(machine.next()?.spec.url == "file:///b")
        #expect(machine.next() == nil)
    }

    @Test("previous goes back the way that was gone, then up the list")
    func previous() {
        var machine = Self.machine(["a", "b", "c", "d"])
        machine.go(to: machine.entries[3].id)
        machine.go(to: machine.entries[2].id)
        #expect(machine.previous()?.spec.url == "file:///d")
        #expect(machine.previous()?.spec.url == "file:///a")
        #expect(machine.previous() == nil)
    }

    @Test("shuffled, every entry is played once, the current one first; the shown order stays", arguments: 1...20)
    func shuffling(seed: UInt64) {
        let names = (0..<12).map { "\($0)" }
        var machine = Self.machine(names, seed: seed)
        machine.go(to: machine.entries[4].id)
        machine.setShuffled(true)
        var played = [machine.current?.spec.url ?? ""]
        while let next = machine.next() { played.append(next.spec.url) }
        #expect(played.first == "file:///4")
        #expect(Set(played).count == 12)
        #expect(Self.names(machine.entries) == names)
        machine.setShuffled(false)
        #expect(machine.upcoming(99).count == 11 - (machine.currentIndex ?? 0))
    }

    @Test("the same seed shuffles alike, another does not")
    func seeds() {
        func order(_ seed: UInt64) -> [String] {
            var machine = Self.machine((0..<30).map { "\($0)" }, seed: seed)
            machine.setShuffled(true)
            return Self.names(machine.upcoming(30))
        }
        #expect(order(1) == order(1))
        #expect(order(1) != order(2))
    }

    @Test("an entry added while shuffled is still to come", arguments: 1...20)
    func insertingShuffled(seed: UInt64) {
        var machine = Self.machine(["a", "b", "c", "d"], seed: seed)
        machine.setShuffled(true)
        _ = machine.next()
        _ = machine.next()
        machine.insert([Self.spec("new")])
        #expect(Self.names(machine.upcoming(9)).contains("new"))
    }

    @Test("what an entry is to follow it follows, also while shuffled", arguments: 1...20)
    func insertingBehindShuffled(seed: UInt64) {
        var machine = Self.machine(["a", "b", "c", "d"], seed: seed)
        machine.setShuffled(true)
        machine.insert([Self.spec("x"), Self.spec("y")], after: machine.entries[0].id)
        #expect(Self.names(machine.upcoming(2)) == ["x", "y"])
        #expect(machine.upcoming(9).count == 5)
    }

    @Test("entries to be skipped are passed over, to the end or once around; where all are, nothing follows")
    func skipping() {
        var machine = Self.machine(["a", "b", "c", "d"])
        let ids = machine.entries.map(\.id)
        let failed: Set<String> = [ids[1], ids[2]]
        #expect(Self.names(machine.upcoming(9, skipping: failed.contains)) == ["d"])
        #expect(machine.nextID(skipping: failed.contains) == ids[3])
        #expect(machine.nextID(skipping: { _ in true }) == ids[1])
        machine.setRepeatMode(.all)
        #expect(Self.names(machine.upcoming(3, skipping: failed.contains)) == ["d", "a", "d"])
        #expect(machine.upcoming(3, skipping: { _ in true }).isEmpty)
        machine.remove(ids[0], skipping: failed.contains)
        #expect(machine.currentID == ids[3])
    }

    @Test("any sequence of edits keeps the current entry among the entries and the order complete", arguments: 1...100)
    func anything(seed: UInt64) {
        var generator = SplitMix64(state: seed)
        var machine = PlaylistMachine(seed: seed)
        for step in 0..<200 {
            let id = machine.entries.randomElement(using: &generator)?.id ?? "nothing"
            let revision = machine.revision
            switch Int.random(in: 0..<11, using: &generator) {
            case 0, 1, 2: machine.insert([Self.spec("\(step)")], after: Bool.random(using: &generator) ? id : nil)
            case 3: machine.remove(id)
            case 4: machine.move(id, to: Int.random(in: -2...20, using: &generator))
            case 5: machine.setShuffled(Bool.random(using: &generator))
            case 6: machine.setRepeatMode(PlaylistMachine.RepeatMode.allCases.randomElement(using: &generator) ?? .off)
            case 7: machine.go(to: id)
            case 8: _ = machine.next()
            case 9: _ = machine.previous()
            default: if step % 40 == 0 { machine.clear() }
            }
            #expect(machine.revision >= revision)
            #expect(machine.currentID.map { machine.index(of: $0) != nil } ?? true)
            #expect(Set(machine.entries.map(\.id)).count == machine.entries.count)
            if machine.repeatMode == .all, machine.current != nil {
                #expect(Set(machine.upcoming(machine.entries.count).map(\.id)) == Set(machine.entries.map(\.id)))
            }
        }
    }
}
