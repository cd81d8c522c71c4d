/// The tables, and their migrations from one version (`user_version`) to the next, which do not change after a release. `application_id`
/// distinguishes the file from other programs' databases.
enum Schema {
    /// The word "Tone" in ASCII.
    static let applicationID = 0x546F_6E65

    static let version = migrations.count

    private static let migrations: [[String]] = [
        [
            // The order of the entries is in `numberList`, so that a move changes no row.
            """
            CREATE TABLE entry (
                number INTEGER PRIMARY KEY, location INTEGER NOT NULL, target TEXT NOT NULL, url TEXT NOT NULL, title TEXT,
                options INTEGER NOT NULL, failureCode TEXT, failureMessage TEXT)
            """,
            // The order, the shuffled order and the history, one row each, as `NumberList`.
            "CREATE TABLE numberList (name TEXT PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID",
            // This table has one row.
            """
            CREATE TABLE queue (
                id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, nextNumber INTEGER NOT NULL, isShuffled INTEGER NOT NULL,
                generator INTEGER NOT NULL, repeatMode TEXT NOT NULL)
            """,
            // One row: the current entry, the heard position, and the requested rate.
            "CREATE TABLE playhead (id INTEGER PRIMARY KEY CHECK (id = 1), entry INTEGER, time REAL NOT NULL, rate REAL NOT NULL)",
            "CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
            // The smallest `number` is the oldest.
            """
            CREATE TABLE mediaPosition (
                url BLOB PRIMARY KEY, time REAL NOT NULL, duration REAL NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID
            """,
        ],
        [
            // Null means the remembered position, or the start.
            "ALTER TABLE entry ADD COLUMN startTime REAL",
            // If true, played entries are removed.
            "ALTER TABLE queue ADD COLUMN isConsuming INTEGER NOT NULL DEFAULT 0",
        ],
        [
            // Null means unknown.
            "ALTER TABLE entry ADD COLUMN addedBy TEXT"
        ],
        [
            // The duration, in seconds, and the date, since 1970, that a playlist or feed gives.
            "ALTER TABLE entry ADD COLUMN listedDuration REAL", "ALTER TABLE entry ADD COLUMN publicationDate REAL",
        ],
        [
            // The picture that a feed gives.
            "ALTER TABLE entry ADD COLUMN picture TEXT"
        ],
        [
            // Earlier versions kept answers to requests with an `Idempotency-Key` here.
            "DROP TABLE IF EXISTS answer"
        ],
        [
            // The mark of a later position of the same entry and rate, in the `PositionFile`.
            "ALTER TABLE playhead ADD COLUMN mark INTEGER"
        ],
    ]

    /// Prepares the tables. Throws `damaged` or `newer` if the file has to be renamed and replaced.
    static func prepare(_ database: Database) throws(DatabaseError) {
        let found = try database.integer("PRAGMA user_version")
        guard found <= version else { throw DatabaseError(.newer(found), "a newer version of the program has written it (schema \(found))") }
        let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
        let isOurs = try database.integer("PRAGMA application_id") == applicationID && found > 0
        guard isEmpty || isOurs else {
            throw DatabaseError(.damaged, "it is not a database of this program")
        }
        if found < version {
            try database.transaction { () throws(DatabaseError) in
                for migration in migrations[found...] { for sql in migration { try database.run(sql) } }
                try database.run("PRAGMA application_id=\(applicationID)")
                try database.run("PRAGMA user_version=\(version)")
            }
        }
        try prepareServerTables(database)
        let verdict = try database.text("PRAGMA quick_check(1)") ?? ""
        guard verdict.utf8.elementsEqual("ok".utf8) else { throw DatabaseError(.damaged, String(decoding: verdict.utf8.prefix(200), as: UTF8.self)) }
    }
}

extension Schema {
    /// The tables of the server's own facts. They are independent of the player's tables, and so created in a database of any version; older programs
    /// ignore them.
    static let serverTables = [
        // The id by which clients recognise the player.
        "CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), player TEXT NOT NULL)",
        // Files outside the media roots, named by a command line: as given, and with symlinks resolved.
        "CREATE TABLE IF NOT EXISTS permittedFile (given TEXT NOT NULL, real TEXT NOT NULL, PRIMARY KEY (given, real)) WITHOUT ROWID",
    ]

    static func prepareServerTables(_ database: Database) throws(DatabaseError) {
        let names = "'identity', 'permittedFile'"
        let count = try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))")
        guard count < serverTables.count else { return }
        try database.transaction { () throws(DatabaseError) in for sql in serverTables { try database.run(sql) } }
    }
}
