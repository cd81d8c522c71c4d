/// The saved state of the server without its player.
public struct SavedServer: Sendable {
    /// The id by which clients recognise the player; nil if none was kept.
    public var playerID: String?
    /// The files outside the media roots that a command line has named.
    public var permittedFiles: [PermittedFile] = []
}

/// The changes of the tables of the server in one write; nil leaves a table unchanged.
struct ServerChange: Sendable {
    var playerID: String?
    var permittedFiles: [PermittedFile]?

    var isEmpty: Bool { playerID == nil && permittedFiles == nil }

    /// Adds those parts of an older change that this newer change does not replace.
    mutating func add(older: ServerChange) {
        playerID = playerID ?? older.playerID
        permittedFiles = permittedFiles ?? older.permittedFiles
    }
}

/// Reads and writes the tables of what the server keeps besides its player's state: the player's id, and the permitted files outside the media roots.
/// One thread at a time uses a `ServerTables`.
final class ServerTables {
    /// The largest length of an id of the player, in bytes.
    private static let maximumIDLength = 64
    /// The largest length of a path, in bytes.
    private static let maximumPathLength = 4096

    private let database: Database
    private let setIdentity: Statement
    private let addFile: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        setIdentity = try Statement(database, "INSERT OR REPLACE INTO identity (id, player) VALUES (1, ?)")
        addFile = try Statement(database, "INSERT OR REPLACE INTO permittedFile (given, real) VALUES (?, ?)")
    }

    func read() throws(DatabaseError) -> SavedServer {
        var server = SavedServer()
        server.playerID = try database.text("SELECT player FROM identity WHERE length(player) BETWEEN 1 AND \(Self.maximumIDLength)")
        server.permittedFiles = try readFiles()
        return server
    }

    private func readFiles() throws(DatabaseError) -> [PermittedFile] {
        let select = try Statement(
            database, "SELECT given, real FROM permittedFile WHERE length(given) + length(real) <= \(2 * Self.maximumPathLength)")
        defer { select.reset() }
        var files: [PermittedFile] = []
        var size = 0
        while files.count < PermittedFile.maximumCount, try select.step() {
            guard let given = select.text(0), let real = select.text(1) else { continue }
            size += given.utf8.count + real.utf8.count
            guard size <= PermittedFile.maximumTextSize else { break }
            files.append(PermittedFile(given: given, real: real))
        }
        return files
    }

    /// Writes a change, within the transaction of the caller.
    func write(_ change: ServerChange) throws(DatabaseError) {
        if let id = change.playerID {
            try setIdentity.bind(1, id)
            try setIdentity.run()
        }
        if let files = change.permittedFiles {
            try database.run("DELETE FROM permittedFile")
            for file in files.prefix(PermittedFile.maximumCount) {
                try addFile.bind(1, file.given)
                try addFile.bind(2, file.real)
                try addFile.run()
            }
        }
    }
}
