import Foundation
import Platform
import PlaybackTesting
import Testing

@testable import Player

@Suite("Opening the state directory") struct OpeningTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/a/b" }
    init() throws { directory = try TemporaryDirectory() }

    private final class Notes {
        var all: [(reason: String, path: String)] = []
    }

    @discardableResult private func open(notes: Notes = Notes()) throws -> (store: StateStore, content: StateStore.Content) {
        try StateStore.open(directory: folder, clock: MonotonicClock(), note: { notes.all.append(($0, $1)) }, report: {})
    }

    private func player() -> SavedPlayer {
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: EntrySpec.files(5))
        return SavedPlayer(machine, edition: 1, time: 3)
    }

    /// Writes a player to a database in the directory, and closes the database.
    private func fill() throws {
        let (store, _) = try open()
        store.keep(player())
        store.close(within: 60)
    }

    @Test("a missing directory is created for its owner only, and so are the files")
    func permissions() throws {
        try fill()
        #expect(try directory.mode("a") == 0o700)
        #expect(try directory.mode("a/b") == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) { #expect(try directory.mode("a/b/" + name) == 0o600) }
    }

    @Test("what was kept is there after the store was closed and opened again")
    func reopened() throws {
        try fill()
        let notes = Notes()
        let (store, content) = try open(notes: notes)
        #expect(content.player.map { Fingerprint($0.playlist) } == Fingerprint(player().playlist))
        #expect(content.player?.playhead.time == 3 && !content.isLost)
        #expect(notes.all.isEmpty)
        store.close(within: 60)
    }

    @Test("a second program that opens the directory is refused, and the first one goes on")
    func inUse() throws {
        let (store, _) = try open()
        #expect {
            try open()
        } throws: { ($0 as? StateStore.Unavailable)?.failure.code == .inUse }
        store.keep(player())
        store.close(within: 60)
        #expect(try open().content.player != nil)
    }

    @Test("a copy of the lock's descriptor in another process does not keep the directory in use")
    func inherited() throws {
        try fill()
        var directory: StateDirectory? = try StateDirectory(path: folder)
        // A child process has such a copy while it is being started.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let lock = descriptors.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == folder + "/lock" }
        let copy = dup(try #require(lock))
        defer { close(copy) }
        #expect(throws: StateDirectory.Unusable.inUse) { try StateDirectory(path: folder) }
        withExtendedLifetime(directory) {}
        directory = nil
        #expect(try open().content.player != nil)
    }

    /// A way to damage a database file.
    enum Damage: CaseIterable, Sendable {
        case garbage, truncated, overwritten

        func applied(to data: Data) -> Data {
            switch self {
            case .garbage: Data("this is not a database, but a text of some length".utf8)
            case .truncated: data.prefix(data.count / 2)
            case .overwritten: data.prefix(4096) + Data(repeating: 0xA5, count: data.count - 4096)
            }
        }
    }

    @Test("a damaged database is set aside, and the store begins anew", arguments: Damage.allCases)
    func damaged(damage: Damage) throws {
        try fill()
        let url = URL(filePath: folder + "/state.db")
        let bytes = damage.applied(to: try Data(contentsOf: url))
        try bytes.write(to: url)
        let notes = Notes()
        let (store, content) = try open(notes: notes)
        #expect(content.player == nil && content.isLost)
        #expect(notes.all.map(\.path) == [folder + "/state.damaged-1.db"])
        #expect(try Data(contentsOf: URL(filePath: folder + "/state.damaged-1.db")) == bytes)
        store.keep(player())
        store.close(within: 60)
        #expect(try open().content.player != nil)
    }

    @Test("a database of a newer version is set aside unchanged")
    func newer() throws {
        try fill()
        do { try Database(path: folder + "/state.db").run("PRAGMA user_version=\(Schema.version + 1)") }
        let notes = Notes()
        let (store, content) = try open(notes: notes)
        store.close(within: 60)
        #expect(content.player == nil)
        #expect(notes.all.map(\.path) == [folder + "/state.newer-1.db"])
        #expect(notes.all.first?.reason.contains("newer version") == true)
        #expect(try Database(path: folder + "/state.newer-1.db").integer("SELECT count(*) FROM entry") == 5)
    }

    @Test("a database of another program, or of an earlier version, is set aside", arguments: ["application_id", "user_version"])
    func foreign(mark: String) throws {
        try fill()
        do { try Database(path: folder + "/state.db").run("PRAGMA \(mark)=1") }
        let notes = Notes()
        try open(notes: notes).store.close(within: 60)
        #expect(notes.all.count == 1)
    }

    @Test("at most five databases are set aside")
    func setAsideLimit() throws {
        for _ in 1...7 {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("garbage, garbage, garbage, garbage".utf8).write(to: URL(filePath: folder + "/state.db"))
            try open().store.close(within: 60)
        }
        let aside = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("state.damaged-") && $0.hasSuffix(".db") }
        #expect(aside.sorted() == (1...5).map { "state.damaged-\($0).db" })
    }

    @Test("a directory that cannot be used is refused with a reason")
    func unusable() throws {
        try Data().write(to: URL(filePath: directory.path + "/a"))
        #expect {
            try open()
        } throws: { ($0 as? StateStore.Unavailable)?.failure.code == .unavailable }
    }

    @Test("a link in place of the database is refused, so that no other file is written")
    func link() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let other = directory.path + "/other"
        try Data().write(to: URL(filePath: other))
        try FileManager.default.createSymbolicLink(atPath: folder + "/state.db", withDestinationPath: other)
        #expect(throws: StateStore.Unavailable.self) { try open() }
        #expect(try Data(contentsOf: URL(filePath: other)).isEmpty)
    }

    @Test(
        "a directory or file of the state that other users can write is refused, with the remedy", arguments: ["", "/state.db", "/position", "/lock"])
    func writable(name: String) throws {
        try fill()
        #expect(chmod(folder + name, name.isEmpty ? 0o777 : 0o666) == 0)
        #expect {
            try open()
        } throws: { ($0 as? StateStore.Unavailable)?.failure.message.contains("run chmod go-w") == true }
        #expect(chmod(folder + name, name.isEmpty ? 0o755 : 0o644) == 0)
        #expect(try open().content.player != nil)
    }

    @Test("a directory or file of the state that belongs to another user is refused", .enabled(if: geteuid() == 0), arguments: ["", "/state.db"])
    func foreign(name: String) throws {
        try fill()
        #expect(chown(folder + name, 12_345, 12_345) == 0)
        #expect {
            try open()
        } throws: { ($0 as? StateStore.Unavailable)?.failure.message.contains("belongs to another user") == true }
    }
}
