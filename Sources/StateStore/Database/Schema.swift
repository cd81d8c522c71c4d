/// The tables of the database, and the SQL statements that convert a database of an older version.
///
/// Each element of `migrations` converts a database from one version to the next. A migration does not change after its release: later parts of the
/// program (the library, tokens) append further migrations. The file contains its version (`user_version`), and a number that distinguishes the file
/// from databases of other programs (`application_id`).
enum Schema {
    /// The number in the file that identifies a database of this program: "Tone" in ASCII.
    static let applicationID = 0x546F_6E65

    static let version = migrations.count

    private static let migrations: [[String]] = [
        [
            // The table `entry` has one row for each entry of the queue. The order of the entries is in `numberList`, so that a move changes no row
            // of `entry`.
            """
            CREATE TABLE entry (
                number INTEGER PRIMARY KEY, location INTEGER NOT NULL, target TEXT NOT NULL, url TEXT NOT NULL, title TEXT,
                options INTEGER NOT NULL, failureCode TEXT, failureMessage TEXT)
            """,
            // The table `numberList` has the order of the entries, the shuffled order and the history. Each row has one list, in the form of
            // `NumberList`.
            "CREATE TABLE numberList (name TEXT PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID",
            // The table `queue` has one row: the properties of the whole queue.
            """
            CREATE TABLE queue (
                id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, nextNumber INTEGER NOT NULL, isShuffled INTEGER NOT NULL,
                generator INTEGER NOT NULL, repeatMode TEXT NOT NULL)
            """,
            // The table `playhead` has one row: the current entry, the position that was heard, and the requested rate.
            "CREATE TABLE playhead (id INTEGER PRIMARY KEY CHECK (id = 1), entry INTEGER, time REAL NOT NULL, rate REAL NOT NULL)",
            "CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
            // The table `mediaPosition` has the remembered positions of media. A newer position has a larger `number`, so the smallest `number` is
            // the oldest.
            """
            CREATE TABLE mediaPosition (
                url BLOB PRIMARY KEY, time REAL NOT NULL, duration REAL NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID
            """,
        ],
        [
            // The position at which playback of an entry starts; null means the remembered position, or the start of the medium.
            "ALTER TABLE entry ADD COLUMN startTime REAL",
            // Whether played entries are removed.
            "ALTER TABLE queue ADD COLUMN isConsuming INTEGER NOT NULL DEFAULT 0",
        ],
        [
            // The name of the client that has added the entry; null if it is unknown.
            "ALTER TABLE entry ADD COLUMN addedBy TEXT"
        ],
        [
            // The duration in seconds and the date of publication in seconds since 1970 that a playlist or feed gives; null if none gives one.
            "ALTER TABLE entry ADD COLUMN listedDuration REAL", "ALTER TABLE entry ADD COLUMN publicationDate REAL",
        ],
        [
            // The URL of the picture that a feed gives; null if none gives one.
            "ALTER TABLE entry ADD COLUMN picture TEXT"
        ],
        [
            // Earlier versions kept the answers to requests with an `Idempotency-Key` in this table.
            "DROP TABLE IF EXISTS answer"
        ],
        [
            // The mark of a later position of the same entry at the same rate, in the `PositionFile`; null if there is none.
            "ALTER TABLE playhead ADD COLUMN mark INTEGER"
        ],
    ]

    /// Creates the tables, or converts them to the present version. Throws `damaged` or `newer` if the file has to be renamed and replaced by a new
    /// one.
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
