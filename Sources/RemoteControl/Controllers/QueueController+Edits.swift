import Player

/// The requests that edit several entries, and those that undo and repeat edits.
extension QueueController {
    func removeEntries(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["ids"])
        return edit(.removeEntries(try Self.ids(body)), request)
    }

    func moveEntries(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["ids", "order"] + QueuePlace.members)
        let ids = try Self.ids(body)
        guard let position = try QueuePlace(body) else {
            throw Problem(.missingMember, "One of the members \(QueuePlace.members.joined(separator: ", ")) is required.", pointer: "/index")
        }
        let order = try body.choice("order", of: QueueOrder.self) ?? .display
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            let revision: Int
            do throws(Problem) {
                revision = try await perform({ .moveEntries(ids, to: position, order: order) }, request).revision
            } catch {
                var problem = error
                if problem.code == .entryNotFound, problem.pointer == nil { problem.pointer = position.pointer }
                throw problem
            }
            _ = await hub.settledSnapshot()
            return .changed(entityTag: tag(madeWith: revision))
        }
    }

    func clearUpcoming(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try PlayerController.checkEmpty(request.request.body)
        return edit(.removeUpcoming, request)
    }

    func undo(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try revert(.undo, request) }

    func redo(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try revert(.redo, request) }

    private func revert(_ command: PlayerCommand, _ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try PlayerController.checkEmpty(request.request.body)
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            let (reply, revision) = try await perform({ command }, request)
            guard case .edit(let edit) = reply else { return .empty() }
            _ = await hub.settledSnapshot()
            return .json(edit.json, entityTag: tag(madeWith: revision))
        }
    }

    private static func ids(_ body: JSONObjectReader) throws(Problem) -> [String] {
        guard let ids = try body.strings("ids", maximumLength: maximumIDLength, maximum: maximumRequestCount) else {
            throw body.missing("ids")
        }
        return ids
    }
}

extension QueuePlace {
    static let members = ["position", "before", "after", "index"]

    private enum Place: String, CaseIterable { case next, end }

    init?(_ body: JSONObjectReader) throws(Problem) {
        let given = Self.members.filter(body.has)
        if given.count > 1 {
            throw Problem(.invalidValue, "\"\(given[1])\" cannot be combined with \"\(given[0])\".", pointer: body.pointer(given[1]))
        }
        let maximumLength = QueueController.maximumIDLength
        if let place = try body.choice("position", of: Place.self) {
            self = place == .next ? .next : .end
        } else if let id = try body.string("before", maximumLength: maximumLength) {
            self = .before(id)
        } else if let id = try body.string("after", maximumLength: maximumLength) {
            self = .after(id)
        } else if let index = try body.integer("index", in: 0...Int64(PlaylistMachine.maximumCount)) {
            self = .index(Int(index))
        } else {
            return nil
        }
    }

    /// The JSON pointer to the member that names the neighbouring entry; nil if the position is not beside an entry.
    var pointer: String? {
        switch self {
        case .before: "/before"
        case .after: "/after"
        case .end, .next, .index: nil
        }
    }
}

/// An entry in a request, given by its URL, by the id of an entry of the queue, or by both. With both, the id counts only if that entry has this URL.
struct WantedEntry: Sendable {
    var id: String?
    var url: String?
    var title: String?
    /// The start position, in seconds.
    var startTime: Double?
    /// The JSON pointer to this entry in the request.
    var pointer: String

    /// An entry whose URL has been checked.
    enum Located: Sendable {
        case entry(EntrySpec, WantedEntry)
        /// The entry has an id and a URL that cannot be used now. It is accepted only if the queue still has the entry.
        case unplayable(Problem, WantedEntry)
        case reference(WantedEntry)

        var wanted: WantedEntry {
            switch self {
            case .entry(_, let wanted), .unplayable(_, let wanted), .reference(let wanted): wanted
            }
        }

        /// Whether the request means `item`, the entry of the queue with the same id: it gives no URL, or the URL that clients see for `item`.
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
        let maximum = QueueController.maximumRequestCount
        let tooMany = Problem(.tooManyEntries, "A request has at most \(maximum) entries.", pointer: "/entries")
        let readers = try body.objects("entries", known: ["id", "url", "title", "startTime"], maximum: maximum, tooMany: tooMany)
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
