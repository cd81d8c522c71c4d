extension Schema {
    /// The tables of the server's own facts. They are independent of the tables of the player, so they are created if they are missing, in a database
    /// of any version. Older versions of the program ignore them.
    static let serverTables = [
        // One row: the id by which clients recognise the player.
        "CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), player TEXT NOT NULL)",
        // The files outside the media roots that a command line has named: as given, and with symlinks resolved.
        "CREATE TABLE IF NOT EXISTS permittedFile (given TEXT NOT NULL, real TEXT NOT NULL, PRIMARY KEY (given, real)) WITHOUT ROWID",
    ]

    /// Creates the tables of `serverTables` that are missing.
    static func prepareServerTables(_ database: Database) throws(DatabaseError) {
        let names = "'identity', 'permittedFile'"
        let count = try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))")
        guard count < serverTables.count else { return }
        try database.transaction { () throws(DatabaseError) in for sql in serverTables { try database.run(sql) } }
    }
}
