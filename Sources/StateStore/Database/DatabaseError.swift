import CSQLite

/// The failure of an operation of SQLite.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failures that the store distinguishes.
    public enum Kind: Sendable, Hashable {
        /// The file is not a database, or its content is damaged.
        case damaged
        /// A newer version of the program has written the file. The associated value is the version of the file's schema.
        case newer(Int)
        /// The file system has no free space.
        case diskFull
        /// The operation failed for another reason, such as a failed read or write.
        case failed
    }

    public let kind: Kind
    /// The reason for the failure, as a sentence without a full stop.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Makes the error for a result code of SQLite.
    /// - Parameter database: The connection whose last call failed; nil if no connection was made.
    init(code: Int32, of database: OpaquePointer?) {
        // The low byte of a result code is SQLite's primary code; the other bytes are details.
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH, SQLITE_CONSTRAINT: kind = .damaged
        case SQLITE_FULL: kind = .diskFull
        default: kind = .failed
        }
        let text = database.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        description = text.map { String(cString: $0) } ?? "error \(code)"
    }
}
