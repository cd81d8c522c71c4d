import CSQLite

/// A connection to an SQLite database in WAL mode. It is used by one thread at a time.
///
/// A committed transaction survives the end of the process, because its pages are then in the kernel's cache. Only a checkpoint waits for the disk
/// (`synchronous=NORMAL`). So a loss of power may lose the last transactions, but does not damage the database.
final class Database {
    /// The number of pages in the log (WAL) from which `checkpointIfNeeded` copies them into the database.
    static let checkpointPages: Int32 = 1000
    /// The limit of one text or blob, in bytes, so that a damaged file cannot demand gigabytes.
    private static let maximumValueSize: Int32 = 64 << 20

    let handle: OpaquePointer
    /// The number of pages in the log after the last commit. SQLite writes it by a pointer, in the hook that it calls after each commit.
    private let logPages: UnsafeMutablePointer<Int32>

    /// Opens the file, or creates it. A link in place of the file is refused. Blocks.
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
        // The store holds a lock on the directory, so the log needs no shared memory. A full disk cannot take away a page of it.
        try run("PRAGMA locking_mode=EXCLUSIVE")
        try run("PRAGMA busy_timeout=200")
        try run("PRAGMA trusted_schema=OFF")
        try run("PRAGMA cache_size=-512")
        try run("PRAGMA temp_store=MEMORY")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else { throw DatabaseError(.failed, "the file system does not support a log") }
        try run("PRAGMA synchronous=NORMAL")
        try run("PRAGMA journal_size_limit=8388608")
        // A hook of one's own replaces the automatic checkpoint, which would delay the commit that causes it.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    /// Closes the connection. Copies the log into the database, and so may block.
    deinit {
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Runs one statement without parameters.
    func run(_ sql: String) throws(DatabaseError) { try Statement(self, sql).run() }

    /// Returns the first column of the first row; nil if there is no row.
    func text(_ sql: String) throws(DatabaseError) -> String? {
        let statement = try Statement(self, sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Returns the first column of the first row as an integer; 0 if there is no row.
    func integer(_ sql: String) throws(DatabaseError) -> Int {
        let statement = try Statement(self, sql)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Runs `body` in a transaction, which is undone if `body` or the commit fails.
    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has undone the transaction itself, so a failure of this call has no meaning.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Copies the log into the database if it has become long. Waits for the disk.
    func checkpointIfNeeded() {
        guard logPages.pointee >= Self.checkpointPages else { return }
        logPages.pointee = 0
        // If the checkpoint fails, the log keeps the changes, and a later checkpoint copies them.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
