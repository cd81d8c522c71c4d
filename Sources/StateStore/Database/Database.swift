import CSQLite

/// A connection to an SQLite database in WAL mode. One thread at a time uses the connection.
///
/// A committed transaction survives the end of the process, because its pages are then in the kernel's cache. With the setting `synchronous=NORMAL`,
/// only a checkpoint (the copying of the log into the database) waits for the disk: a loss of power may lose the last transactions, but does not
/// damage the database.
final class Database {
    /// The number of pages in the log (WAL) at which `checkpointIfNeeded` copies the log into the database.
    static let checkpointPages: Int32 = 1000
    /// The maximum size of one text or blob in the database, in bytes. Because of this limit, a damaged file cannot make the program allocate
    /// gigabytes.
    private static let maximumValueSize: Int32 = 64 << 20

    let handle: OpaquePointer
    /// The number of pages in the log after the last commit. SQLite calls a hook after each commit, and the hook stores the number through this
    /// pointer.
    private let logPages: UnsafeMutablePointer<Int32>

    /// Opens the database at `path`, or creates it. If `path` is a symbolic link, opening fails. Blocks.
    init(path: String) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = DatabaseError(code: code, of: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.maximumValueSize)
        _ = CSQLite_setDefensive(handle)
        // The state directory is locked, so no other process uses the database. With exclusive locking, SQLite needs no shared memory for the log
        // (WAL). The pages of such memory would be in a file, and an access to them could fail if the disk is full.
        try run("PRAGMA locking_mode=EXCLUSIVE")
        try run("PRAGMA busy_timeout=200")
        try run("PRAGMA trusted_schema=OFF")
        try run("PRAGMA cache_size=-512")
        try run("PRAGMA temp_store=MEMORY")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else { throw DatabaseError(.failed, "the file system does not support a log") }
        try run("PRAGMA synchronous=NORMAL")
        try run("PRAGMA journal_size_limit=8388608")
        // The hook replaces SQLite's automatic checkpoint, which would copy the log during a commit and so delay the commit.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    /// Closes the connection. While SQLite closes the connection, it copies the log into the database, which may block.
    deinit {
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Runs one SQL statement without parameters.
    func run(_ sql: String) throws(DatabaseError) { try Statement(self, sql).run() }

    /// Runs an SQL statement, and returns the text in the first column of the first row; nil if the statement returns no row.
    func text(_ sql: String) throws(DatabaseError) -> String? {
        let statement = try Statement(self, sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs an SQL statement, and returns the integer in the first column of the first row; 0 if the statement returns no row.
    func integer(_ sql: String) throws(DatabaseError) -> Int {
        let statement = try Statement(self, sql)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Runs `body` in a transaction. If `body` or the commit fails, all changes of the transaction are undone.
    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already undone the transaction, so a failure of ROLLBACK is ignored.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Copies the log into the database if the log has at least `checkpointPages` pages. Waits for the disk.
    func checkpointIfNeeded() {
        guard logPages.pointee >= Self.checkpointPages else { return }
        logPages.pointee = 0
        // If the checkpoint fails, the log keeps the changes, and a later checkpoint copies them.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
