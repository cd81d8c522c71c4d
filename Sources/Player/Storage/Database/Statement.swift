import CSQLite

/// A prepared statement, used only on the thread of its database.
final class Statement {
    private let database: Database
    private let handle: OpaquePointer

    init(_ database: Database, _ sql: String) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw DatabaseError(code: code, of: database.handle) }
        self.database = database
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Parameters

    /// Sets a parameter; indices start at 1, and nil means NULL.
    func bind(_ index: Int32, _ value: Int64?) throws(DatabaseError) {
        try check(value.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    func bind(_ index: Int32, _ value: Double?) throws(DatabaseError) {
        try check(value.map { sqlite3_bind_double(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    func bind(_ index: Int32, _ value: String?) throws(DatabaseError) {
        guard var value else { return try check(sqlite3_bind_null(handle, index)) }
        let code = value.withUTF8 { bytes in
            // A null pointer would mean NULL, so an empty text gets another pointer.
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_text(handle, index, "", 0, CSQLite_transient()) }
            return sqlite3_bind_text64(handle, index, start, UInt64(bytes.count), CSQLite_transient(), UInt8(SQLITE_UTF8))
        }
        try check(code)
    }

    func bind(_ index: Int32, _ value: [UInt8]) throws(DatabaseError) {
        let code = value.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), CSQLite_transient())
        }
        try check(code)
    }

    // MARK: Running

    /// Moves to the next row. Returns false after the last row; then the statement can be run again with other parameters.
    func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        // The error is read before the reset, which could replace it.
        let error = code == SQLITE_DONE ? nil : DatabaseError(code: code, of: database.handle)
        sqlite3_reset(handle)
        if let error { throw error }
        return false
    }

    /// Runs the statement; rows are ignored.
    func run() throws(DatabaseError) { while try step() {} }

    /// Ends the execution of the statement, also before its last row.
    func reset() { sqlite3_reset(handle) }

    // MARK: Columns

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func isNumber(_ column: Int32) -> Bool { [SQLITE_INTEGER, SQLITE_FLOAT].contains(sqlite3_column_type(handle, column)) }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The text of a column; replacement characters stand for what is not UTF-8.
    func text(_ column: Int32) -> String? {
        guard !isNull(column), let start = sqlite3_column_text(handle, column) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw DatabaseError(code: code, of: database.handle) }
    }
}
