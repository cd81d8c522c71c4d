import Dispatch
import Foundation
import PlaybackEngine
import Synchronization

@testable import Player

/// A temporary directory, removed with its contents at the end of the test.
final class TemporaryDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "tonearm-state-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }
    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }
}

/// Opens a new connection to the database in a directory, and returns its tables.
struct OpenTables {
    let database: Database
    private let position: PositionFile
    let tables: StateTables
    let player: SavedPlayer?

    init(_ directory: TemporaryDirectory) throws(DatabaseError) {
        database = try Database(path: directory.path + "/state.db")
        try Schema.prepare(database)
        position = try PositionFile(path: directory.path + "/position")
        tables = try StateTables(database, position: position)
        player = try tables.read()
    }

    func write(_ player: SavedPlayer) throws(DatabaseError) { try tables.write(PlayerChange(player: player)) }

    /// Reads the player as the next run of the program would.
    func read() throws(DatabaseError) -> SavedPlayer? { try StateTables(database, position: position).read() }
}

/// A writer whose writes fail while `error` is not nil.
final class ScriptedWriter: PlayerWriter {
    private(set) var changes: [PlayerChange] = []
    var error: DatabaseError?

    func write(_ change: PlayerChange) throws(DatabaseError) {
        if let error { throw error }
        changes.append(change)
    }
    func tidy() {}
}

/// A writer that signals each of its writes, on the store's thread.
final class SignallingWriter: PlayerWriter, Sendable {
    private let written = Mutex<[Double?]>([])
    private let signal = DispatchSemaphore(value: 0)

    /// The position of each written player.
    var times: [Double?] { written.withLock { $0 } }

    func write(_ change: PlayerChange) {
        written.withLock { $0.append(change.player?.playhead.time) }
        signal.signal()
    }
    func tidy() {}
    func waitForWrite() { signal.wait() }
}

/// Counts the calls of a function. The calls may be on any thread.
final class Counter: Sendable {
    private let calls = Mutex(0)
    var count: Int { calls.withLock { $0 } }
    func call() { calls.withLock { $0 += 1 } }
}

extension EntrySpec {
    static func file(_ name: String, title: String? = nil, startTime: Double? = nil) -> EntrySpec {
        EntrySpec(source: MediaSource(.file(path: "/music/" + name)), url: "file:///music/" + name, title: title, startTime: startTime)
    }
    static func files(_ count: Int) -> [EntrySpec] { (0..<count).map { .file("\($0).flac") } }
}

extension SavedPlayer {
    /// A player whose playlist has this edition.
    init(_ playlist: PlaylistMachine, edition: Int, after change: QueueChange? = nil, time: Double = 0) {
        self.init()
        changedEntries = change.map { Set($0.versions.removed.keys).union($0.versions.inserted.keys) }
        self.playlist = playlist.saved
        self.edition = edition
        playhead.time = time
    }
}

/// The properties by which the tests compare two playlists.
struct Fingerprint: Equatable {
    var ids: [String], urls: [String], order: [String], history: [String]
    var current: String?
    var numbers: [Int]
    var generator: UInt64

    init(_ playlist: SavedPlaylist) {
        (ids, urls, order, history) = (playlist.entries.map(\.id), playlist.entries.map(\.spec.url), playlist.shuffledOrder, playlist.history)
        current = playlist.currentID
        numbers = [playlist.revision, playlist.nextNumber, playlist.isShuffled ? 1 : 0]
        generator = playlist.generator
    }
}
