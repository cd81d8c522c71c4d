import Platform
import PlaybackEngine
import Testing

@testable import Player

@Suite("PlaylistMachine") struct PlaylistMachineTests {
    static func spec(_ name: String) -> EntrySpec { EntrySpec(source: MediaSource(.file(path: "/" + name)), url: "file:///" + name) }
    static func machine(_ names: [String], seed: UInt64 = 1) -> PlaylistMachine {
        var machine = PlaylistMachine(seed: seed)
        machine.replace(with: names.map(spec))
        return machine
    }
    static func names(_ entries: [PlaylistEntry]) -> [String] { entries.map { String($0.spec.url.dropFirst(8)) } }

    @Test("replace makes the first entry current, and ids are never reused")
    func replacing() {
        var machine = Self.machine(["a", "b"])
        let former = Set(machine.entries.map(\.id))
        machine.replace(with: [Self.spec("c")])
        #expect(machine.current?.spec.url == "file:///c")
        #expect(former.isDisjoint(with: machine.entries.map(\.id)))
    }

    @Test("the size of the entries' text is maintained through every edit")
    func textSize() {
        var machine = Self.machine(["a", "bé"])
        // A path and a URL for each entry.
        #expect(machine.textSize == (2 + 9) + (4 + 11))
        machine.insert([Self.spec("c")], at: .after(machine.entries[0].id))
        machine.move(machine.entries[0].id, to: 2)
        #expect(machine.textSize == 11 + 15 + 11)
        machine.remove(machine.entries[1].id)
        #expect(machine.textSize == 22)
        machine.replace(with: [Self.spec("a")])
        #expect(machine.textSize == 11)
        machine.clear()
        #expect(machine.textSize == 0)
    }

    @Test("insert adds entries after a given one or at the end, and refuses an unknown one")
    func inserting() {
        var machine = Self.machine(["a", "b"])
        machine.insert([Self.spec("c")])
        machine.insert([Self.spec("x"), Self.spec("y")], at: .after(machine.entries[0].id))
        #expect(Self.names(machine.entries) == ["a", "x", "y", "b", "c"])
        let revision = machine.revision
        #expect(machine.insert([Self.spec("z")], at: .after("nothing")) == nil)
        #expect(machine.revision == revision)
    }

    @Test("removing the current entry makes the following one current, and none after the last")
    func removing() {
        var machine = Self.machine(["a", "b", "c"])
        machine.go(to: machine.entries[1].id)
        machine.remove(machine.entries[1].id)
        #expect(machine.current?.spec.url == "file:///c")
        machine.remove(machine.entries[1].id)
        #expect(machine.current == nil)
        #expect(machine.remove("nothing") == false)
    }

    @Test("move keeps the current entry and clamps the index", arguments: [(-5, ["c", "a", "b"]), (1, ["a", "c", "b"]), (99, ["a", "b", "c"])])
    func moving(index: Int, expected: [String]) {
        var machine = Self.machine(["a", "b", "c"])
        machine.move(machine.entries[2].id, to: index)
        #expect(Self.names(machine.entries) == expected)
        #expect(machine.current?.spec.url == "file:///a")
    }

    @Test(
        "upcoming depends on the repeat mode: to the end, around, or the same again",
        arguments: [
            (PlaylistMachine.RepeatMode.off, ["c"]), (.all, ["c", "a", "b", "c"]), (.one, ["b", "b", "b", "b"]),
        ])
    func following(mode: PlaylistMachine.RepeatMode, expected: [String]) {
        var machine = Self.machine(["a", "b", "c"])
        machine.go(to: machine.entries[1].id)
        machine.setRepeatMode(mode)
        #expect(Self.names(machine.upcoming(4)) == expected)
    }

    @Test("a single entry repeats in the mode all as in one")
    func onlyEntry() {
        var machine = Self.machine(["a"])
        #expect(machine.upcoming(2).isEmpty)
        machine.setRepeatMode(.all)
        #expect(Self.names(machine.upcoming(2)) == ["a", "a"])
    }

    @Test("next leaves a repeated entry, and returns nil after the last one")
    func next() {
        var machine = Self.machine(["a", "b"])
        machine.setRepeatMode(.one)
        #expect(machine.next()?.spec.url == "file:///b")
        #expect(machine.next() == nil)
    }

    @Test("previous follows the history back, then the list")
    func previous() {
        var machine = Self.machine(["a", "b", "c", "d"])
        machine.go(to: machine.entries[3].id)
        machine.go(to: machine.entries[2].id)
        #expect(machine.previous()?.spec.url == "file:///d")
        #expect(machine.previous()?.spec.url == "file:///a")
        #expect(machine.previous() == nil)
    }

    @Test("shuffled, every entry is played once, beginning with the current one, and the visible order is unchanged", arguments: 1...20)
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

    @Test("equal seeds give equal orders, and different ones do not")
    func seeds() {
        func order(_ seed: UInt64) -> [String] {
            var machine = Self.machine((0..<30).map { "\($0)" }, seed: seed)
            machine.setShuffled(true)
            return Self.names(machine.upcoming(30))
        }
        #expect(order(1) == order(1))
        #expect(order(1) != order(2))
    }

    @Test("each round of a shuffled playlist that is repeated has a new order, as it was announced, and no entry twice in a row", arguments: 1...20)
    func rounds(seed: UInt64) {
        for count in [2, 3, 12] {
            var machine = Self.machine((0..<count).map { "\($0)" }, seed: seed)
            machine.setShuffled(true)
            machine.setRepeatMode(.all)
            let announced = [machine.currentID ?? ""] + machine.upcoming(5 * count - 1).map(\.id)
            var played = [machine.currentID ?? ""]
            for _ in 1..<(5 * count) { played.append(machine.next()?.id ?? "") }
            #expect(played == announced)
            #expect(zip(played, played.dropFirst()).allSatisfy { $0 != $1 })
            let rounds = (0..<5).map { Array(played[($0 * count)..<(($0 + 1) * count)]) }
            #expect(rounds.allSatisfy { Set($0) == Set(machine.entries.map(\.id)) })
            if count == 12 { #expect(Set(rounds).count == 5) }
        }
    }

    @Test("entries that are skipped do not lead to an entry twice in a row at the end of a round", arguments: 1...20)
    func roundsWithSkipped(seed: UInt64) {
        var machine = Self.machine((0..<6).map { "\($0)" }, seed: seed)
        machine.setShuffled(true)
        machine.setRepeatMode(.all)
        let failed = Set(machine.entries.prefix(4).map(\.id))
        var played: [String] = []
        for _ in 0..<20 {
            guard let id = machine.nextID(skipping: failed.contains) else { break }
            #expect(machine.upcoming(1, skipping: failed.contains).map(\.id) == [id])
            machine.go(to: id, skipping: failed.contains)
            played.append(id)
        }
        #expect(played.count == 20 && zip(played, played.dropFirst()).allSatisfy { $0 != $1 })
        #expect(failed.isDisjoint(with: played))
    }

    @Test("playback that passes short entries over the end of a round continues in the new round", arguments: 1...20)
    func passing(seed: UInt64) {
        var machine = Self.machine((0..<6).map { "\($0)" }, seed: seed)
        machine.setShuffled(true)
        machine.setRepeatMode(.all)
        for _ in 0..<5 { _ = machine.next() }
        let next = machine.upcoming(6).map(\.id)
        machine.go(to: next[2], past: Array(next[..<2]))
        #expect(machine.upcoming(3).map(\.id) == Array(next[3...]))
        #expect(machine.shuffledOrder.ids == next)
    }

    @Test("an undo keeps the order of the round that has begun since")
    func undoInNextRound() {
        var machine = Self.machine((0..<6).map { "\($0)" })
        machine.setShuffled(true)
        machine.setRepeatMode(.all)
        let id = machine.upcoming(1)[0].id
        machine.record(QueueEdit(kind: .move, count: 1, origin: "test"), nil) { _ = $0.move(id, to: 0) }
        for _ in 0..<6 { _ = machine.next() }
        let order = machine.shuffledOrder.ids
        #expect(machine.revert(.undo, nil) != nil && machine.shuffledOrder.ids == order)
    }

    @Test("an entry added while shuffled is upcoming", arguments: 1...20)
    func insertingShuffled(seed: UInt64) {
        var machine = Self.machine(["a", "b", "c", "d"], seed: seed)
        machine.setShuffled(true)
        _ = machine.next()
        _ = machine.next()
        machine.insert([Self.spec("new")])
        #expect(Self.names(machine.upcoming(9)).contains("new"))
    }

    @Test("entries inserted after an entry follow it, also while shuffled", arguments: 1...20)
    func insertingBehindShuffled(seed: UInt64) {
        var machine = Self.machine(["a", "b", "c", "d"], seed: seed)
        machine.setShuffled(true)
        machine.insert([Self.spec("x"), Self.spec("y")], at: .after(machine.entries[0].id))
        #expect(Self.names(machine.upcoming(2)) == ["x", "y"])
        #expect(machine.upcoming(9).count == 5)
    }

    @Test("skipped entries are omitted from the upcoming ones; if all are skipped, none is upcoming")
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

    @Test("after any sequence of edits the current entry exists and the order is complete", arguments: 1...100)
    func anything(seed: UInt64) {
        var generator = SplitMix64(state: seed)
        var machine = PlaylistMachine(seed: seed)
        for step in 0..<200 {
            let id = machine.entries.randomElement(using: &generator)?.id ?? "nothing"
            let revision = machine.revision
            switch Int.random(in: 0..<11, using: &generator) {
            case 0, 1, 2: machine.insert([Self.spec("\(step)")], at: Bool.random(using: &generator) ? .after(id) : .end)
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
                // The rest of this round, and the whole next one.
                let rest = machine.isShuffled ? machine.upcomingIDs.count : 0
                let next = machine.upcoming(rest + machine.entries.count).dropFirst(rest).map(\.id)
                #expect(next.count == machine.entries.count && Set(next) == Set(machine.entries.map(\.id)))
            }
        }
    }
}
