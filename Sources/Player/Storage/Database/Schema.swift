/// The tables. `application_id` distinguishes the file from other programs' databases; `user_version` is the version of the tables, which rises with
/// each change of them.
enum Schema {
    /// The word "Tone" in ASCII.
    static let applicationID = 0x546F_6E65

    static let version = 8

    private static let tables = [
        // The order of the entries is in `numberList`, so that a move changes no row. A start position of null is the remembered position, or the
        // start; the duration (in seconds), the date (since 1970) and the picture are those that a playlist or feed gives.
        """
        CREATE TABLE entry (
            number INTEGER PRIMARY KEY, location INTEGER NOT NULL, target TEXT NOT NULL, url TEXT NOT NULL, title TEXT,
            options INTEGER NOT NULL, failureCode TEXT, failureMessage TEXT, startTime REAL, addedBy TEXT, listedDuration REAL,
            publicationDate REAL, picture TEXT)
        """,
        // The order, the shuffled order and the history: one row each, with the numbers of entries, separated by spaces.
        "CREATE TABLE numberList (name TEXT PRIMARY KEY, numbers TEXT NOT NULL) WITHOUT ROWID",
        // This table has one row.
        """
        CREATE TABLE queue (
            id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, nextNumber INTEGER NOT NULL, isShuffled INTEGER NOT NULL,
            generator INTEGER NOT NULL, repeatMode TEXT NOT NULL, isConsuming INTEGER NOT NULL)
        """,
        // One row: the current entry, the heard position, the requested rate, and the mark of a later position of the same entry and rate, in the
        // `PositionFile`.
        """
        CREATE TABLE playhead (
            id INTEGER PRIMARY KEY CHECK (id = 1), entry INTEGER, time REAL NOT NULL, rate REAL NOT NULL, mark INTEGER)
        """,
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
        // The smallest `number` is the oldest.
        """
        CREATE TABLE mediaPosition (
            url BLOB PRIMARY KEY, time REAL NOT NULL, duration REAL NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID
        """,
        // The id by which clients recognise the player.
        "CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), player TEXT NOT NULL)",
        // Files outside the media roots, named by a command line: as given, and with symlinks resolved.
        "CREATE TABLE permittedFile (given TEXT NOT NULL, real TEXT NOT NULL, PRIMARY KEY (given, real)) WITHOUT ROWID",
    ]

    /// Prepares the tables. Throws `damaged` or `newer` if the file has to be renamed and replaced.
    static func prepare(_ database: Database) throws(DatabaseError) {
        let found = try database.integer("PRAGMA user_version")
        guard found <= version else { throw DatabaseError(.newer(found), "a newer version of the program has written it (schema \(found))") }
        let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
        let isOurs = try database.integer("PRAGMA application_id") == applicationID && found == version
        guard isEmpty || isOurs else { throw DatabaseError(.damaged, "it is not a database of this version of the program") }
        if isEmpty {
            try database.transaction { () throws(DatabaseError) in
                for sql in tables { try database.run(sql) }
                try database.run("PRAGMA application_id=\(applicationID)")
                try database.run("PRAGMA user_version=\(version)")
            }
        }
        let verdict = try database.text("PRAGMA quick_check(1)") ?? ""
        guard verdict.utf8.elementsEqual("ok".utf8) else { throw DatabaseError(.damaged, String(decoding: verdict.utf8.prefix(200), as: UTF8.self)) }
    }
}
