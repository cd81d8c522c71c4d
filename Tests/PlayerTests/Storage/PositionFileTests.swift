import Foundation
import Testing

@testable import Player

@Suite("The file of the position") struct PositionFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/position" }
    init() throws { directory = try TemporaryDirectory() }

    private func player(edition: Int = 1, time: Double, rate: Double = 1, current: String = "e1") -> SavedPlayer {
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: EntrySpec.files(3))
        machine.go(to: current)
        var player = SavedPlayer(machine, edition: edition, time: time)
        player.playhead.rate = rate
        return player
    }

    /// The number of rows that `body` writes to the database.
    private func rows(_ open: OpenTables, _ body: () throws -> Void) throws -> Int {
        let before = try open.database.integer("SELECT total_changes()")
        try body()
        return try open.database.integer("SELECT total_changes()") - before
    }

    @Test("a position is read with the mark with which it was written, and with no other")
    func marks() throws {
        let file = try PositionFile(path: path)
        #expect(file.read(mark: 7) == nil)
        try file.write(12.25, mark: 7)
        try file.write(12.75, mark: 7)
        #expect(try PositionFile(path: path).read(mark: 7) == 12.75)
        #expect(file.read(mark: 8) == nil)
    }

    @Test("a file in which any byte is changed or missing is ignored")
    func damaged() throws {
        try PositionFile(path: path).write(12.25, mark: 7)
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.count == 24)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            for damaged in [changed, bytes.prefix(index)] {
                try damaged.write(to: URL(filePath: path))
                #expect(try PositionFile(path: path).read(mark: 7) == nil, "byte \(index)")
            }
        }
    }

    @Test("a link in place of the file is refused, so that no other file is written")
    func link() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path + "/other")
        #expect(throws: DatabaseError.self) { try PositionFile(path: path) }
    }

    @Test("a change of only the position writes no row, and the next run reads it with its entry and its rate")
    func onlyPosition() throws {
        let open = try OpenTables(directory)
        try open.write(player(time: 1))
        let written = try rows(open) { for time in [1.5, 2, 2.5] { try open.write(player(time: time)) } }
        #expect(written == 0)
        let read = try open.read()
        #expect(read?.playhead == SavedPlayer.Playhead(time: 2.5, rate: 1) && read?.playlist.currentID == "e1")
    }

    @Test("a position is not joined with another entry, nor with another rate")
    func otherEntry() throws {
        let open = try OpenTables(directory)
        try open.write(player(time: 1))
        try open.write(player(time: 100))
        #expect(try rows(open) { try open.write(player(edition: 2, time: 0, current: "e2")) } > 0)
        #expect(try open.read()?.playhead.time == 0)
        try open.write(player(edition: 2, time: 5, current: "e2"))
        #expect(try rows(open) { try open.write(player(edition: 2, time: 6, rate: 0, current: "e2")) } == 1)
        #expect(try open.read()?.playhead == SavedPlayer.Playhead(time: 6, rate: 0))
    }

    @Test("a position of an earlier database is ignored")
    func earlierDatabase() throws {
        let open = try OpenTables(directory)
        try open.write(player(time: 1))
        try open.write(player(time: 100))
        let second = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: path, toPath: second.path + "/position")
        let other = try OpenTables(second)
        try other.write(player(time: 3))
        #expect(try other.read()?.playhead.time == 3)
    }

    @Test("a change of a setting at the same position leaves the position in the file valid")
    func setting() throws {
        let open = try OpenTables(directory)
        try open.write(player(time: 1))
        try open.write(player(time: 8))
        var louder = player(time: 8)
        louder.settings.volume = 0.5
        #expect(try rows(open) { try open.write(louder) } == 1)
        #expect(try open.read()?.playhead.time == 8)
    }
}
