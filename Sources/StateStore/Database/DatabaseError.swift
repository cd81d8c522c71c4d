import CSQLite

/// An operation of SQLite that failed.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failures that the store distinguishes.
    public enum Kind: Sendable, Hashable {
        /// The file is not a database, or its content is damaged.
        case damaged
        /// A newer version of the program has written the file. The associated value is the version of its schema.
        case newer(Int)
        /// The file system has no free space.
        case diskFull
        /// The operation failed for another reason, such as a failed read or write.
        case failed
    }

    public let kind: Kind
    /// The reason as a sentence without a full stop.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// The error of a result code of SQLite.
    /// - Parameter database: The connection whose last call failed; nil if there is none.
    init(code: Int32, of database: OpaquePointer?) {
        // The low byte is the primary code; the rest tells the details.
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH, SQLITE_CONSTRAINT: kind = .damaged
        case SQLITE_FULL: kind = .diskFull
        default: kind = .failed
        }
        let text = database.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        description = text.map { String(cString: $0) } ?? "error \(code)"
    }
}
