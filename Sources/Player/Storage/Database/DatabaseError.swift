import CSQLite

/// A failed operation of SQLite.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failures that the store distinguishes.
    public enum Kind: Sendable, Hashable {
        /// Or no database.
        case damaged
        /// The version of the schema, written by a newer program.
        case newer(Int)
        case diskFull
        /// Such as a failed read or write.
        case failed
    }

    public let kind: Kind
    /// Without a full stop.
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
