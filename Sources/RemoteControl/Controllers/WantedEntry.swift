import Player

/// An entry in a request, by its URL, by the id of an entry of the queue, or both: then it means the queue's entry only if that has this URL.
struct WantedEntry: Sendable {
    var id: String?
    var url: String?
    var title: String?
    /// In seconds.
    var startTime: Double?
    /// The JSON pointer to this entry in the request.
    var pointer: String

    /// An entry whose URL has been checked.
    enum Located: Sendable {
        case entry(EntrySpec, WantedEntry)
        /// It has an id and a URL that cannot be used now, and is accepted only if the queue still has the entry.
        case unplayable(Problem, WantedEntry)
        case reference(WantedEntry)

        var wanted: WantedEntry {
            switch self {
            case .entry(_, let wanted), .unplayable(_, let wanted), .reference(let wanted): wanted
            }
        }

        /// Whether the request gives no URL for the entry with this id, or the URL that clients see for it.
        func means(_ item: PlayerState.Item) -> Bool {
            switch self {
            case .reference: true
            // A URL with other credentials is another medium, although clients see the same URL.
            case .entry(let spec, let wanted): spec.url.utf8.elementsEqual(item.url.utf8) && !MediaLocator.hasCredentials(wanted.url)
            case .unplayable(_, let wanted): wanted.url.map { $0.utf8.elementsEqual(item.url.utf8) } ?? true
            }
        }
    }

    static func read(_ body: JSONObjectReader) throws(Problem) -> [WantedEntry] {
        let maximum = PlaylistMachine.maximumCount
        let readers = try body.objects(
            "entries", known: ["id", "url", "title", "startTime"], maximum: maximum, tooMany: Problem(.tooManyEntries(maximum: maximum)))
        guard let readers else { throw body.missing("entries") }
        var entries: [WantedEntry] = []
        entries.reserveCapacity(readers.count)
        for reader in readers {
            let id = try reader.string("id", maximumLength: QueueController.maximumIDLength)
            let url = try reader.string("url", maximumLength: MediaLocator.maximumURLLength)
            guard id != nil || url != nil else { throw reader.missing("url") }
            let title = try reader.string("title", maximumLength: PlayerState.Item.maximumTextLength)
            let startTime = try reader.number("startTime", in: 0...PlayerController.times.upperBound)
            entries.append(WantedEntry(id: id, url: url, title: title, startTime: startTime, pointer: reader.place))
        }
        return entries
    }
}
