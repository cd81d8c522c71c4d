import PlaybackEngine

/// The changes that one write stores in the tables. `player` is the newest state of the player, nil if it has not changed. `positions` are the
/// positions of media that have changed after the last write.
struct PlayerChange: Sendable {
    var player: SavedPlayer?
    var positions: [MediaPosition] = []
    /// The URLs of media whose remembered positions have to be removed.
    var forgotten: [[UInt8]] = []
    var server = ServerChange()
}

/// Writes the changes of a player. One thread at a time uses a writer. The program's writer is `StateTables`, which writes to the database. Tests
/// use a `ScriptedWriter`, whose writes can fail.
protocol PlayerWriter: AnyObject {
    /// Writes a change completely. If the write fails, nothing is changed.
    func write(_ change: PlayerChange) throws(DatabaseError)
    /// Copies the log into the database if the log is long, which may wait for the disk. Called after a write.
    func tidy()
}

/// The tables of a player in the database. A write changes only the rows that have changed since the preceding write.
final class StateTables: PlayerWriter {
    private let database: Database
    private let entries: QueueEntryTable
    private let settings: SettingTable
    /// The tables of the server's own facts.
    let server: ServerTables
    private let setList: Statement
    private let setQueue: Statement
    private let setPlayhead: Statement
    /// The newest position, if only the position has changed since the row in `playhead` was written.
    private let position: PositionFile
    /// The mark of the row in `playhead`; nil if the row has none.
    private var mark: Int64?
    private let setPosition: Statement
    private let removePosition: Statement
    /// The state of the player that the tables contain; nil if the tables contain none.
    private var written: SavedPlayer?
    private var nextPosition: Int64 = 0

    init(_ database: Database, position: PositionFile) throws(DatabaseError) {
        self.database = database
        self.position = position
        entries = try QueueEntryTable(database)
        settings = try SettingTable(database)
        server = try ServerTables(database)
        setList = try Statement(database, "INSERT OR REPLACE INTO numberList (name, numbers) VALUES (?, ?)")
        setQueue = try Statement(
            database,
            """
            INSERT OR REPLACE INTO queue (id, revision, nextNumber, isShuffled, generator, repeatMode, isConsuming)
            VALUES (1, ?, ?, ?, ?, ?, ?)
            """)
        setPlayhead = try Statement(database, "INSERT OR REPLACE INTO playhead (id, entry, time, rate, mark) VALUES (1, ?, ?, ?, ?)")
        setPosition = try Statement(
            database, "INSERT OR REPLACE INTO mediaPosition (url, time, duration, number) VALUES (?, ?, ?, ?)")
        removePosition = try Statement(database, "DELETE FROM mediaPosition WHERE url = ?")
    }

    // MARK: Reading

    /// Reads the state of the player; nil if the tables contain none. Throws `damaged` if the tables contradict each other.
    func read() throws(DatabaseError) -> SavedPlayer? {
        let queue = try Statement(database, "SELECT revision, nextNumber, isShuffled, generator, repeatMode, isConsuming FROM queue")
        defer { queue.reset() }
        guard try queue.step() else { return nil }
        var player = SavedPlayer()
        player.playlist.revision = Int(queue.integer(0))
        player.playlist.nextNumber = Int(queue.integer(1))
        player.playlist.isShuffled = queue.integer(2) != 0
        player.playlist.generator = UInt64(bitPattern: queue.integer(3))
        player.playlist.repeatMode = queue.text(4).flatMap { $0.utf8.count <= 16 ? PlaylistMachine.RepeatMode(rawValue: $0) : nil } ?? .off
        player.playlist.isConsuming = queue.integer(5) != 0
        var rows = try entries.read()
        let count = rows.count
        for number in try list("entryOrder") {
            guard let entry = rows.removeValue(forKey: number) else { throw DatabaseError(.damaged, "the order names a missing entry") }
            player.playlist.entries.append(entry)
        }
        guard player.playlist.entries.count == count else { throw DatabaseError(.damaged, "an entry has no place in the order") }
        player.playlist.shuffledOrder = try list("shuffledOrder").map(PlaylistEntry.id(ofNumber:))
        player.playlist.history = try list("history").map(PlaylistEntry.id(ofNumber:))
        let playhead = try Statement(database, "SELECT entry, time, rate, mark FROM playhead")
        defer { playhead.reset() }
        if try playhead.step() {
            player.playlist.currentID = playhead.isNull(0) ? nil : PlaylistEntry.id(ofNumber: Int(playhead.integer(0)))
            mark = playhead.isNull(3) ? nil : playhead.integer(3)
            player.playhead = SavedPlayer.Playhead(time: mark.flatMap(position.read) ?? playhead.double(1), rate: playhead.double(2))
        }
        player.settings = try settings.read()
        // No playlist of this run has the edition −1, so the first write writes the playlist.
        player.edition = -1
        written = player
        return player
    }

    /// Reads the remembered positions of media, the oldest first.
    func readPositions() throws(DatabaseError) -> [MediaPosition] {
        let select = try Statement(
            database,
            "SELECT url, time, duration, number FROM (SELECT * FROM mediaPosition ORDER BY number DESC LIMIT \(MediaPositions.maximumCount)) "
                + "ORDER BY number")
        defer { select.reset() }
        var positions: [MediaPosition] = []
        while try select.step() {
            positions.append(MediaPosition(url: select.bytes(0), time: select.double(1), duration: select.double(2)))
            nextPosition = max(nextPosition, select.integer(3) &+ 1)
        }
        return positions
    }

    private func list(_ name: String) throws(DatabaseError) -> [Int] {
        let select = try Statement(database, "SELECT numbers FROM numberList WHERE name = ?")
        defer { select.reset() }
        try select.bind(1, name)
        guard try select.step() else { return [] }
        let words = (select.text(0) ?? "").utf8.split(separator: UInt8(ascii: " "))
        let numbers = words.compactMap { Int(Substring($0)) }
        guard numbers.count == words.count else { throw DatabaseError(.damaged, "the list \(name) is malformed") }
        return numbers
    }

    // MARK: Writing

    func write(_ change: PlayerChange) throws(DatabaseError) {
        if let player = change.player, let mark, changesOnlyPosition(change) {
            try position.write(player.playhead.time, mark: mark)
            written = player
            return
        }
        let mark = try database.transaction { () throws(DatabaseError) -> Int64? in
            var mark = self.mark
            if let player = change.player, let new = try write(player) { mark = new }
            for position in change.positions { try write(position) }
            for url in change.forgotten {
                try removePosition.bind(1, url)
                try removePosition.run()
            }
            try server.write(change.server)
            return mark
        }
        self.mark = mark
        if let player = change.player { written = player }
    }

    func tidy() { database.checkpointIfNeeded() }

    /// Whether a change contains only a new position in the same entry, at the same rate.
    private func changesOnlyPosition(_ change: PlayerChange) -> Bool {
        guard let player = change.player, let written, change.positions.isEmpty, change.forgotten.isEmpty, change.server.isEmpty else { return false }
        return player.edition == written.edition && player.playhead.rate == written.playhead.rate && player.settings == written.settings
    }

    /// Writes the rows that have changed. Returns the new mark of the row in `playhead`; nil if that row has not changed.
    private func write(_ player: SavedPlayer) throws(DatabaseError) -> Int64? {
        var mark: Int64?
        if player.edition != written?.edition {
            try entries.write(player.playlist.entries, changed: player.changedEntries)
            try write(player.playlist, after: written?.playlist)
        }
        if player.playhead != written?.playhead || player.playlist.currentID != written?.playlist.currentID {
            try setPlayhead.bind(1, player.playlist.currentID.flatMap(PlaylistEntry.number).map(Int64.init))
            try setPlayhead.bind(2, player.playhead.time)
            try setPlayhead.bind(3, player.playhead.rate)
            mark = .random(in: .min ... .max)
            try setPlayhead.bind(4, mark)
            try setPlayhead.run()
        }
        if player.settings != written?.settings { try settings.write(player.settings, after: written?.settings) }
        return mark
    }

    private func write(_ playlist: SavedPlaylist, after former: SavedPlaylist?) throws(DatabaseError) {
        try write("entryOrder", playlist.entries.map(\.id), after: former?.entries.map(\.id) ?? [])
        try write("shuffledOrder", playlist.shuffledOrder, after: former?.shuffledOrder ?? [])
        try write("history", playlist.history, after: former?.history ?? [])
        try setQueue.bind(1, Int64(playlist.revision))
        try setQueue.bind(2, Int64(playlist.nextNumber))
        try setQueue.bind(3, playlist.isShuffled ? 1 : 0 as Int64)
        try setQueue.bind(4, Int64(bitPattern: playlist.generator))
        try setQueue.bind(5, playlist.repeatMode.rawValue)
        try setQueue.bind(6, playlist.isConsuming ? 1 : 0 as Int64)
        try setQueue.run()
    }

    private func write(_ name: String, _ ids: [String], after former: [String]) throws(DatabaseError) {
        guard ids != former else { return }
        try setList.bind(1, name)
        try setList.bind(2, ids.compactMap(PlaylistEntry.number).map { String($0) }.joined(separator: " "))
        try setList.run()
    }

    private func write(_ position: MediaPosition) throws(DatabaseError) {
        guard let time = position.time else { return }
        try setPosition.bind(1, position.url)
        try setPosition.bind(2, time)
        try setPosition.bind(3, position.duration)
        try setPosition.bind(4, nextPosition)
        nextPosition += 1
        try setPosition.run()
    }
}
