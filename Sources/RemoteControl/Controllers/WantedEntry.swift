import Playlist

/// An entry in the body of a request that replaces or extends the queue. It has a URL, the id of an entry of the queue, or both. If it has both, it
/// means the queue's entry only if that entry has this URL; otherwise it means the URL.
struct WantedEntry: Sendable {
    /// The id of an existing entry of the queue; nil if the request gives only a URL.
    var id: String?
    var url: String?
    var title: String?
    /// The position at which playback of the entry starts, in seconds; nil if the request states none.
    var startTime: Double?
    /// The JSON pointer to this entry in the request.
    var pointer: String

    /// An entry whose URL, if it has one, has been checked.
    enum Located: Sendable {
        case entry(EntrySpec, WantedEntry)
        /// An entry with an id and a URL, whose medium cannot be used now. It is accepted only if the queue still has the entry.
        case unplayable(Problem, WantedEntry)
        /// An entry with an id, and without a URL.
        case reference(WantedEntry)

        var wanted: WantedEntry {
            switch self {
            case .entry(_, let wanted), .unplayable(_, let wanted), .reference(let wanted): wanted
            }
        }

        /// Whether this entry means `item`, the queue's entry with the same id. It does if the request gives no URL, or if it gives the URL that
        /// clients see for `item`. A URL with credentials never means `item`.
        func means(_ item: PlayerState.Item) -> Bool {
            switch self {
            case .reference: true
            // A URL with other credentials is another medium, although clients see the same URL.
            case .entry(let spec, let wanted): spec.url.utf8.elementsEqual(item.url.utf8) && !MediaLocator.hasCredentials(wanted.url)
            case .unplayable(_, let wanted): wanted.url.map { $0.utf8.elementsEqual(item.url.utf8) } ?? true
            }
        }
    }

    /// Reads the member `entries` of a request.
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
