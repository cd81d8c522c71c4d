import Playlist

/// The controller of the queue: entries that were played, the current one, and those that follow.
struct QueueController: Sendable {
    let player: any RemotePlayer
    let hub: EventHub
    let locator: MediaLocator
    let documents: QueueDocuments

    func list(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            let document = await documents.newest()
            if let known = request.fields.ifNoneMatch, EntityTag.noneMatchNames(known, document.entityTag) {
                return .empty(entityTag: document.entityTag)
            }
            return document.response
        }
    }

    // MARK: Editing

    func replace(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["entries", "play"])
        let items = try Self.items(body)
        let play = try body.bool("play")
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let entries = try await locate(items, for: request)
            return try await replace(with: entries, play: play, request)
        }
    }

    @MainActor private func replace(with entries: [EntrySpec], play: Bool?, _ request: RouteRequest) async throws(Problem) -> HTTPResponse {
        _ = try await perform(.setQueue(entries, play: play), request)
        return await QueueDocuments.encoded(player.queue, hub.feed.epoch).response
    }

    func add(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["entries", "after", "play"])
        let items = try Self.items(body)
        let after = try body.string("after", maximumLength: Self.maximumIDLength)
        let play = try body.bool("play") ?? false
        let pointer = body.pointer("after")
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let entries = try await locate(items, for: request)
            do throws(Problem) {
                return try await add(entries, after: after, play: play, request)
            } catch {
                var problem = error
                if problem.code == .entryNotFound { problem.pointer = pointer }
                throw problem
            }
        }
    }

    @MainActor private func add(_ entries: [EntrySpec], after id: String?, play: Bool, _ request: RouteRequest) async throws(Problem) -> HTTPResponse
    {
        guard case .entries(let ids) = try await perform(.insert(entries, after: id, play: play), request) else { return .empty() }
        var queue = player.queue
        let new = Set(ids)
        queue.entries.removeAll { !new.contains($0.id) }
        _ = await hub.settledSnapshot()
        return .json(await QueueDocuments.encoded(queue, hub.feed.epoch).bytes, status: 201)
    }

    func clear(_ request: RouteRequest) throws(Problem) -> Route.Outcome { edit(.clear, request) }

    func remove(_ request: RouteRequest) throws(Problem) -> Route.Outcome { edit(.removeEntry(Self.id(request)), request) }

    func move(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["index"])
        guard let index = try body.integer("index", in: 0...Int64(PlaylistMachine.maximumCount)) else { throw body.missing("index") }
        return edit(.moveEntry(Self.id(request), to: Int(index)), request)
    }

    private func edit(_ command: PlayerCommand, _ request: RouteRequest) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            _ = try await perform(command, request)
            _ = await hub.settledSnapshot()
            return .empty()
        }
    }

    // MARK: Navigation

    func next(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try go(.next, request) }

    func previous(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try go(.previous, request) }

    func play(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try go(.playEntry(Self.id(request)), request) }

    private func go(_ command: PlayerCommand, _ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try PlayerController.checkEmpty(request.request.body)
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            _ = try await perform(command, request)
            return await hub.settledSnapshot().response
        }
    }

    // MARK: Parts

    /// The maximum length of the id of an entry of the queue, in bytes.
    private static let maximumIDLength = 256

    /// One item in the body of a request, which becomes an entry of the queue.
    private struct Item: Sendable {
        var url: String
        var title: String?
        var pointer: String
    }

    private static func items(_ body: JSONObjectReader) throws(Problem) -> [Item] {
        let maximum = PlaylistMachine.maximumCount
        let readers = try body.objects("entries", known: ["url", "title"], maximum: maximum, tooMany: Problem(.tooManyEntries(maximum: maximum)))
        guard let readers else { throw body.missing("entries") }
        var items: [Item] = []
        items.reserveCapacity(readers.count)
        for reader in readers {
            guard let url = try reader.string("url", maximumLength: MediaLocator.maximumURLLength) else { throw reader.missing("url") }
            let title = try reader.string("title", maximumLength: PlayerState.Item.maximumTextLength)
            items.append(Item(url: url, title: title, pointer: reader.pointer("url")))
        }
        return items
    }

    /// Turns the items of a request into entries. One forbidden item rejects the whole request. An item that is permitted but unplayable becomes an
    /// entry with its failure.
    private func locate(_ items: [Item], for request: RouteRequest) async throws(Problem) -> [EntrySpec] {
        var entries: [EntrySpec] = []
        entries.reserveCapacity(items.count)
        for item in items {
            entries.append(try await locator.locateEntry(item.url, title: item.title, pointer: item.pointer, isTrusted: request.isTrusted))
        }
        return entries
    }

    /// Checks the precondition and performs the edit in one turn of the main actor, so that no other edit runs between the check and the edit.
    @MainActor private func perform(_ command: PlayerCommand, _ request: RouteRequest) async throws(Problem) -> PlayerReply {
        if let wanted = request.fields.ifMatch,
            !PlayerQueue.matchNames(wanted, epoch: hub.feed.epoch, revision: player.state.queue.revision)
        {
            throw Problem(.preconditionFailed, "Read the queue again and repeat the change.")
        }
        return try await PlayerController.perform(command, on: player, origin: request.origin)
    }

    private static func id(_ request: RouteRequest) -> String { request.variables["id"] ?? "" }
}
