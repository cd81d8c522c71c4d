extension Schema {
    /// The server's own facts, independent of the player's tables, so they are created in a database of any version; older programs ignore them.
    static let serverTables = [
        // The id by which clients recognise the player.
        "CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), player TEXT NOT NULL)",
        // Outside the media roots, named by a command line: as given, and with symlinks resolved.
        "CREATE TABLE IF NOT EXISTS permittedFile (given TEXT NOT NULL, real TEXT NOT NULL, PRIMARY KEY (given, real)) WITHOUT ROWID",
    ]

    static func prepareServerTables(_ database: Database) throws(DatabaseError) {
        let names = "'identity', 'permittedFile'"
        let count = try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))")
        guard count < serverTables.count else { return }
        try database.transaction { () throws(DatabaseError) in for sql in serverTables { try database.run(sql) } }
    }
}
