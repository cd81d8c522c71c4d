import Playlist

/// The table of the answers to requests with an `Idempotency-Key`. Only rows that differ from those of the last write are written.
struct AnswerTable {
    /// The content of a row.
    enum Row: Sendable {
        /// `answered`: a request with its answer. `interrupted`: a request without an answer. `unknown`: a row that `read` did not return.
        case answered, interrupted, unknown

        init(_ answer: SavedAnswer) { self = answer.response == nil ? .interrupted : .answered }
    }

    private let database: Database
    private let insert: Statement
    private let delete: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        insert = try Statement(
            database,
            """
            INSERT OR REPLACE INTO answer (number, client, key, fingerprint, network, date, status, fields, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        delete = try Statement(database, "DELETE FROM answer WHERE number = ?")
    }

    /// Returns the newest answers within the limits, the newest first. A malformed row is ignored.
    func read() throws(DatabaseError) -> [SavedAnswer] {
        let select = try Statement(
            database,
            """
            SELECT number, client, key, fingerprint, network, date, status, fields, body FROM answer
            WHERE ifnull(length(body), 0) + ifnull(length(fields), 0) + length(client) + length(key) + length(fingerprint) + length(network)
                <= \(SavedAnswers.maximumSize)
            ORDER BY number DESC LIMIT \(SavedAnswers.maximumCount)
            """)
        defer { select.reset() }
        var answers: [SavedAnswer] = []
        var size = 0
        while try select.step() {
            var answer = SavedAnswer(
                number: select.integer(0), client: select.bytes(1), key: select.bytes(2), fingerprint: select.bytes(3),
                network: select.text(4) ?? "", date: select.double(5))
            if !select.isNull(6) {
                guard let fields = Self.fields(select.bytes(7)) else { continue }
                answer.response = SavedAnswer.Response(status: Int(select.integer(6)), fields: fields, body: select.bytes(8))
            }
            size += answer.key.count + (answer.response?.body.count ?? 0)
            guard size <= SavedAnswers.maximumSize else { break }
            answers.append(answer)
        }
        return answers
    }

    /// Returns all rows by their numbers.
    /// - Parameter answers: The answers that `read` has returned.
    func rows(_ answers: [SavedAnswer]) throws(DatabaseError) -> [Int64: Row] {
        let select = try Statement(database, "SELECT number FROM answer")
        defer { select.reset() }
        var rows: [Int64: Row] = [:]
        while try select.step() { rows[select.integer(0)] = .unknown }
        for answer in answers { rows[answer.number] = Row(answer) }
        return rows
    }

    /// Makes the table contain exactly the answers `new`: writes those that differ from their rows, and deletes all other rows.
    /// - Parameter former: The rows in the table.
    func write(_ new: SavedAnswers, after former: [Int64: Row]) throws(DatabaseError) {
        var rest = former
        for answer in new.answers where rest.removeValue(forKey: answer.number) != Row(answer) { try write(answer) }
        for number in rest.keys {
            try delete.bind(1, number)
            try delete.run()
        }
    }

    private func write(_ answer: SavedAnswer) throws(DatabaseError) {
        try insert.bind(1, answer.number)
        try insert.bind(2, answer.client)
        try insert.bind(3, answer.key)
        try insert.bind(4, answer.fingerprint)
        try insert.bind(5, answer.network)
        try insert.bind(6, answer.date)
        if let response = answer.response {
            try insert.bind(7, Int64(response.status))
            try insert.bind(8, Self.bytes(response.fields))
            try insert.bind(9, response.body)
        } else {
            for column in 7...9 { try insert.bind(Int32(column), nil as Int64?) }
        }
        try insert.run()
    }

    // MARK: Fields

    /// Returns header fields as bytes: each name and each value is followed by a NUL, which neither can contain.
    static func bytes(_ fields: [SavedAnswer.Field]) -> [UInt8] { fields.flatMap { Array($0.name.utf8) + [0] + Array($0.value.utf8) + [0] } }

    /// Returns the header fields of `bytes`; nil if the bytes are malformed.
    static func fields(_ bytes: [UInt8]) -> [SavedAnswer.Field]? {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        // The last separator is followed by an empty part.
        guard parts.count % 2 == 1, parts.last?.utf8.isEmpty ?? true else { return nil }
        return stride(from: 0, to: parts.count - 1, by: 2).map { SavedAnswer.Field(name: parts[$0], value: parts[$0 + 1]) }
    }
}
