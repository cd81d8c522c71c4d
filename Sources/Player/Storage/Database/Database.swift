import CSQLite

/// A connection to SQLite in WAL mode, used by one thread at a time.
///
/// A committed transaction survives the end of the process, in the kernel's cache. With `synchronous=NORMAL` only a checkpoint waits for the disk: a
/// loss of power may lose the last transactions, but does not damage the database.
final class Database {
    /// The length of the log (WAL), in pages, at which `checkpointIfNeeded` copies it into the database.
    static let checkpointPages: Int32 = 1000
    /// The largest text or blob, in bytes, so that a damaged file cannot make the program allocate gigabytes.
    private static let maximumValueSize: Int32 = 64 << 20

    let handle: OpaquePointer
    /// The length of the log after the last commit, in pages, stored by a hook of SQLite.
    private let logPages: UnsafeMutablePointer<Int32>

    /// Opens a database, or creates it; fails for a symbolic link. Blocks.
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
        // No other connection exists, because the state directory is locked. So the log needs no shared memory, whose use could fail on a full disk.
        try run("PRAGMA locking_mode=EXCLUSIVE")
        try run("PRAGMA busy_timeout=200")
        try run("PRAGMA trusted_schema=OFF")
        try run("PRAGMA cache_size=-512")
        try run("PRAGMA temp_store=MEMORY")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else { throw DatabaseError(.failed, "the file system does not support a log") }
        try run("PRAGMA synchronous=NORMAL")
        try run("PRAGMA journal_size_limit=8388608")
        // SQLite's automatic checkpoint would delay the commit.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    /// Closes the connection, which copies the log into the database, and may block.
    deinit {
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Runs a statement without parameters.
    func run(_ sql: String) throws(DatabaseError) { try Statement(self, sql).run() }

    /// Runs a statement, and returns the first column of the first row as text; nil if there is no row.
    func text(_ sql: String) throws(DatabaseError) -> String? {
        let statement = try Statement(self, sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs a statement, and returns the first column of the first row as an integer; 0 if there is no row.
    func integer(_ sql: String) throws(DatabaseError) -> Int {
        let statement = try Statement(self, sql)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Runs `body` in a transaction. A failure undoes all changes.
    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already undone the transaction.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Copies a long log into the database, which waits for the disk.
    func checkpointIfNeeded() {
        guard logPages.pointee >= Self.checkpointPages else { return }
        logPages.pointee = 0
        // After a failure the log keeps the changes.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}

/// A failed operation of SQLite.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failures that the store distinguishes.
    public enum Kind: Sendable, Hashable {
        /// The file is damaged, or no database.
        case damaged
        /// A newer program has written the database, whose schema has this version.
        case newer(Int)
        case diskFull
        /// Another failure, such as a failed read or write.
        case failed
    }

    public let kind: Kind
    /// The description, without a full stop.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// - Parameter database: Nil if no connection was made.
    init(code: Int32, of database: OpaquePointer?) {
        // The low byte is the primary code.
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH, SQLITE_CONSTRAINT: kind = .damaged
        case SQLITE_FULL: kind = .diskFull
        default: kind = .failed
        }
        let text = database.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        description = text.map { String(cString: $0) } ?? "error \(code)"
    }
}
