import Platform
import PlaybackEngine

/// The database table of the queue's entries.
struct QueueEntryTable {
    /// The flags of an entry, as bits in the column `options`.
    private struct Options: OptionSet {
        let rawValue: Int64
        static let followsLinks = Options(rawValue: 1)
        static let allowsPrivateAddresses = Options(rawValue: 2)
        static let prefersPreciseDuration = Options(rawValue: 4)
    }
    /// The kinds of an entry's location, as numbers in the column `location`.
    private enum Location {
        static let file: Int64 = 0
        static let remote: Int64 = 1
    }

    private let database: Database
    private let insert: Statement
    private let delete: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        insert = try Statement(
            database,
            """
            INSERT OR REPLACE INTO entry (
                number, location, target, url, title, options, failureCode, failureMessage, startTime, addedBy, listedDuration, publicationDate,
                picture)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        delete = try Statement(database, "DELETE FROM entry WHERE number = ?")
    }

    /// Reads the entries of the queue, by their numbers. Throws `damaged` if an entry is malformed, or if the table has more entries
    /// than a queue may have.
    func read() throws(DatabaseError) -> [Int: PlaylistEntry] {
        var entries: [Int: PlaylistEntry] = [:]
        entries.reserveCapacity(try database.integer("SELECT count(*) FROM entry"))
        let select = try Statement(
            database,
            """
            SELECT number, location, target, url, title, options, failureCode, failureMessage, startTime, addedBy, listedDuration, publicationDate,
                picture
            FROM entry
            """)
        defer { select.reset() }
        while try select.step() {
            guard entries.count < PlaylistMachine.maximumCount else { throw DatabaseError(.damaged, "the queue has too many entries") }
            let number = Int(select.integer(0))
            guard number > 0, let target = select.text(2) else { throw DatabaseError(.damaged, "an entry is malformed") }
            let options = Options(rawValue: select.integer(5))
            var source = MediaSource(select.integer(1) == Location.remote ? .remote(url: target) : .file(FilePath(reference: target)))
            source.followsLinks = options.contains(.followsLinks)
            source.allowsPrivateAddresses = options.contains(.allowsPrivateAddresses)
            source.prefersPreciseDuration = options.contains(.prefersPreciseDuration)
            let failure = select.text(6).map { code in
                PlayerState.Failure(
                    code: (code.utf8.count <= 64 ? PlaybackError.Code(rawValue: code) : nil) ?? .unknown, message: select.text(7) ?? "")
            }
            let startTime = select.isNumber(8) ? select.double(8) : nil
            var spec = EntrySpec(
                source: source, url: select.text(3) ?? target, title: select.text(4), startTime: startTime, failure: failure, addedBy: select.text(9))
            spec.listedDuration = select.isNumber(10) ? select.double(10) : nil
            spec.publicationDate = select.isNumber(11) ? select.double(11) : nil
            spec.picture = select.text(12)
            entries[number] = PlaylistEntry(id: PlaylistEntry.id(ofNumber: number), spec: spec)
        }
        return entries
    }

    /// Writes the rows of changed entries, and deletes the rows of those that the queue does not have.
    ///
    /// - Parameter changed: The ids of the entries that were added, removed or changed; nil writes all rows anew.
    func write(_ entries: [PlaylistEntry], changed: Set<String>?) throws(DatabaseError) {
        guard var removed = changed else {
            try database.run("DELETE FROM entry")
            for entry in entries { try write(entry) }
            return
        }
        guard !removed.isEmpty else { return }
        for entry in entries where removed.remove(entry.id) != nil { try write(entry) }
        for number in removed.compactMap(PlaylistEntry.number) {
            try delete.bind(1, Int64(number))
            try delete.run()
        }
    }

    private func write(_ entry: PlaylistEntry) throws(DatabaseError) {
        guard let number = PlaylistEntry.number(ofID: entry.id) else { return }
        let (spec, source) = (entry.spec, entry.spec.source)
        var options: Options = []
        if source.followsLinks { options.insert(.followsLinks) }
        if source.allowsPrivateAddresses { options.insert(.allowsPrivateAddresses) }
        if source.prefersPreciseDuration { options.insert(.prefersPreciseDuration) }
        try insert.bind(1, Int64(number))
        switch source.location {
        case .file(let path):
            try insert.bind(2, Location.file)
            try insert.bind(3, path.reference)
        case .remote(let url):
            try insert.bind(2, Location.remote)
            try insert.bind(3, url)
        }
        try insert.bind(4, spec.url)
        try insert.bind(5, spec.title)
        try insert.bind(6, options.rawValue)
        try insert.bind(7, spec.failure?.code.rawValue)
        try insert.bind(8, spec.failure?.message)
        try insert.bind(9, spec.startTime)
        try insert.bind(10, spec.addedBy)
        try insert.bind(11, spec.listedDuration)
        try insert.bind(12, spec.publicationDate)
        try insert.bind(13, spec.picture)
        try insert.run()
    }
}
