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
            return .changed(entityTag: await documents.tag(madeWith: revision))
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
            return .json(edit.json, entityTag: await documents.tag(madeWith: revision))
        }
    }

    private static func ids(_ body: JSONObjectReader) throws(Problem) -> [String] {
        guard let ids = try body.strings("ids", maximumLength: maximumIDLength, maximum: PlaylistMachine.maximumCount) else {
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

    /// The JSON pointer to the neighbouring entry; nil if the position is not given by an entry.
    var pointer: String? {
        switch self {
        case .before: "/before"
        case .after: "/after"
        case .end, .next, .index: nil
        }
    }
}
