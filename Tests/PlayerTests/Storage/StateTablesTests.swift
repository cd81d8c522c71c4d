import AVFoundation
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import Player

@Suite("The tables of the player") struct StateTablesTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// The playlist as a new connection to the database reads it.
    private func stored() throws -> SavedPlayer? { try OpenTables(directory).player }

    @Test("a new database contains no player")
    func empty() throws {
        #expect(try stored() == nil)
    }

    @Test("an entry whose path is not UTF-8 is read as it was written")
    func bytes() throws {
        let path = FilePath(bytes: Array("/m/caf".utf8) + [0xE9, 0x25, 0x93, 0xFA])
        var machine = PlaylistMachine(seed: 7)
        machine.replace(with: [EntrySpec(source: MediaSource(.file(path)), url: path.url), .file("b%41")])
        do { try OpenTables(directory).write(SavedPlayer(machine, edition: 1, time: 0)) }
        #expect(try stored()?.playlist.entries.map(\.spec.source.location) == machine.entries.map(\.spec.source.location))
        #expect(try stored()?.playlist.entries.first?.spec.source.location == .file(path))
    }

    @Test("a player is read as it was written: entries with their sources, playhead, settings, output")
    func roundTrip() throws {
        var source = MediaSource(.remote(url: "http://user:secret@host/a"), prefersPreciseDuration: true, allowsPrivateAddresses: false)
        source.followsLinks = false
        let failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file.")
        var machine = PlaylistMachine(seed: 7)
        var episode = EntrySpec.file("a")
        (episode.listedDuration, episode.publicationDate, episode.picture) = (3600.5, -86_400, "http://user:secret@host/a.jpg")
        machine.replace(with: [
            episode, EntrySpec(source: source, url: "http://host/a", title: "", failure: failure, addedBy: "kitchen tablet"),
            .file("c", title: "É\u{301}", startTime: 83.5), .file("d", startTime: 0),
        ])
        machine.setRepeatMode(.all)
        machine.setShuffled(true, seed: .max)
        machine.go(to: "e3")
        machine.setConsuming(true)
        var player = SavedPlayer(machine, edition: 1, time: 12.25)
        player.playhead.rate = -1.5
        player.settings.volume = 0.5
        player.settings.isMuted = true
        player.settings.defaultRate = 1.25
        player.settings.automaticallyWaitsToMinimizeStalling = false
        player.settings.actionAtItemEnd = .pause
        player.settings.audioTimePitchAlgorithm = .spectral
        player.settings.crossfadeDuration = 4
        player.settings.loudnessNormalization = .album
        player.settings.outputRates = OutputRates(standard: .fixed(96_000), byDevice: ["dac": .item, "a b:c": .device])
        player.settings.output = OutputChoice(id: "pulse:dac", kind: .pulse, name: "DAC", device: "dac")
        do { try OpenTables(directory).write(player) }
        let read = try #require(try stored())
        #expect(Fingerprint(read.playlist) == Fingerprint(player.playlist))
        #expect(read.playlist.entries == player.playlist.entries)
        #expect(read.playlist.repeatMode == .all && read.playlist.isConsuming)
        #expect(read.playhead == player.playhead)
        #expect(read.settings == player.settings)
    }

    @Test("an output without a device replaces one with a device")
    func outputWithoutDevice() throws {
        let open = try OpenTables(directory)
        var player = SavedPlayer(PlaylistMachine(seed: 1), edition: 1)
        player.settings.output = OutputChoice(id: "pulse:dac", kind: .pulse, name: "DAC", device: "dac")
        try open.write(player)
        player.settings.output = OutputChoice(id: "auto", kind: .auto, name: "Automatic")
        try open.write(player)
        #expect(try open.read()?.settings.output == player.settings.output)
    }

    @Test("with 10,000 entries, a move, an insertion, a removal and a step write at most four rows each")
    func incremental() throws {
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: EntrySpec.files(10_000))
        let open = try OpenTables(directory)
        var edition = 1
        try open.write(SavedPlayer(machine, edition: edition))
        _ = machine.takeChange()
        let edits: [(inout PlaylistMachine) -> Void] = [
            { $0.move("e4800", to: 3) }, { $0.insert([.file("new")], at: .after("e5")) }, { $0.remove("e9999") }, { _ = $0.next() },
            { $0.setRepeatMode(.one) },
        ]
        for edit in edits {
            edit(&machine)
            edition += 1
            let before = try open.database.integer("SELECT total_changes()")
            try open.write(SavedPlayer(machine, edition: edition, after: machine.takeChange()))
            #expect(try open.database.integer("SELECT total_changes()") - before <= 4)
        }
    }

    @Test("an entry whose start position has changed is written again")
    func changedStart() throws {
        var player = SavedPlayer()
        player.playlist.entries = [PlaylistEntry(id: "e1", spec: .file("a")), PlaylistEntry(id: "e2", spec: .file("b"))]
        player.edition = 1
        let open = try OpenTables(directory)
        try open.write(player)
        player.playlist.entries[1].spec.startTime = 12.5
        (player.edition, player.changedEntries) = (2, ["e2"])
        try open.write(player)
        #expect(try open.read()?.playlist.entries.map(\.spec.startTime) == [nil, 12.5])
    }

    @Test("an entry whose title has changed is written again")
    func changedSpec() throws {
        var player = SavedPlayer()
        player.playlist.entries = [PlaylistEntry(id: "e1", spec: .file("a")), PlaylistEntry(id: "e2", spec: .file("b"))]
        player.edition = 1
        let open = try OpenTables(directory)
        try open.write(player)
        player.playlist.entries[1].spec.title = "New"
        (player.edition, player.changedEntries) = (2, ["e2"])
        try open.write(player)
        #expect(try open.read()?.playlist.entries.map(\.spec.title) == [nil, "New"])
    }

    @Test("positions of media are read in the order in which they were written, without those that were removed")
    func positions() throws {
        do {
            let open = try OpenTables(directory)
            _ = try open.tables.readPositions()
            let all = ["a", "b", "c"].map { MediaPosition(url: Array($0.utf8), time: 20, duration: 1000) }
            try open.tables.write(PlayerChange(positions: all))
            try open.tables.write(PlayerChange(positions: [MediaPosition(url: [97], time: 30, duration: 1000)], forgotten: [[98]]))
        }
        let read = try OpenTables(directory).tables.readPositions()
        #expect(read.map(\.url) == [[99], [97]])
        #expect(read.map(\.time) == [20, 30])
    }

    @Test("a write that fails because the disk is full changes nothing, and a later write contains everything")
    func diskFull() throws {
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: EntrySpec.files(10))
        let open = try OpenTables(directory)
        try open.write(SavedPlayer(machine, edition: 1))
        let former = machine.saved
        try open.database.run("PRAGMA max_page_count=20")
        machine.replace(with: EntrySpec.files(5_000))
        #expect {
            try open.write(SavedPlayer(machine, edition: 2))
        } throws: { ($0 as? DatabaseError)?.kind == .diskFull }
        #expect(try open.read().map { Fingerprint($0.playlist) } == Fingerprint(former))
        try open.database.run("PRAGMA max_page_count=100000")
        machine.move("e20", to: 0)
        try open.write(SavedPlayer(machine, edition: 3))
        #expect(try open.read().map { Fingerprint($0.playlist) } == Fingerprint(machine.saved))
    }

    @Test("the log does not grow without limit: it is copied into the database after 1,000 pages")
    func logSize() throws {
        let open = try OpenTables(directory)
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: EntrySpec.files(2_000))
        for edition in 1...(TestDepth.isThorough ? 1_500 : 750) {
            machine.move("e1000", to: edition % 2 == 0 ? 3 : 1_500)
            try open.write(SavedPlayer(machine, edition: edition))
            open.tables.tidy()
        }
        let log = try #require(try FileManager.default.attributesOfItem(atPath: directory.path + "/state.db-wal")[.size] as? Int)
        #expect(log > 0 && log <= 6 << 20)
    }

    @Test(
        "tables that contradict each other are damaged",
        arguments: [
            "DELETE FROM entry WHERE number = 2", "UPDATE numberList SET numbers = '1 2 x' WHERE name = 'entryOrder'",
            "UPDATE numberList SET numbers = '1 2' WHERE name = 'entryOrder'", "UPDATE entry SET number = -4 WHERE number = 1",
        ])
    func contradictions(sql: String) throws {
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: EntrySpec.files(3))
        do {
            let open = try OpenTables(directory)
            try open.write(SavedPlayer(machine, edition: 1))
            try open.database.run(sql)
        }
        #expect { try stored() } throws: { ($0 as? DatabaseError)?.kind == .damaged }
    }

    @Test("unknown settings and values of another type are ignored")
    func unknownSettings() throws {
        do {
            let open = try OpenTables(directory)
            try open.write(SavedPlayer(PlaylistMachine(seed: 1), edition: 1))
            try open.database.run("INSERT INTO setting VALUES ('brightness', 3), ('actionAtItemEnd', 'explode'), ('volume', 'loud')")
        }
        let settings = try #require(try stored()).settings
        #expect(settings.actionAtItemEnd == nil)
        #expect(settings.volume == nil)
    }
}
