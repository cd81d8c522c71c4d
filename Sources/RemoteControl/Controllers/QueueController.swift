import Playlist

/// The controller of the queue: the played entries, the current entry, and the entries that follow.
struct QueueController: Sendable {
    let player: any RemotePlayer
    let hub: EventHub
    let locator: MediaLocator
    let documents: QueueDocuments

    func list(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in await documents.newest().response.unlessKnown(to: request) }
    }

    // MARK: Editing

    func replace(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["entries", "play", "keepUnplayable"])
        let wanted = try WantedEntry.read(body)
        let play = try body.bool("play")
        let keeps = try body.bool("keepUnplayable") ?? false
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let located = try await locate(wanted, keepsUnplayable: keeps, for: request)
            return try await replace(with: located, play: play, request)
        }
    }

    @MainActor private func replace(with located: [WantedEntry.Located], play: Bool?, _ request: RouteRequest) async throws(Problem) -> HTTPResponse {
        try requireMatch(request)
        _ = try await PlayerController.perform(.setQueue(try resolved(located), play: play), on: player, origin: request.origin)
        return await QueueDocuments.encoded(player.queue, hub.feed.epoch).response
    }

    func add(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["entries", "after", "play", "keepUnplayable"])
        let wanted = try WantedEntry.read(body)
        let after = try body.string("after", maximumLength: Self.maximumIDLength)
        let play = try body.bool("play") ?? false
        let keeps = try body.bool("keepUnplayable") ?? false
        let pointer = body.pointer("after")
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let located = try await locate(wanted, keepsUnplayable: keeps, for: request)
            do throws(Problem) {
                return try await add(located, after: after, play: play, request)
            } catch {
                var problem = error
                if problem.code == .entryNotFound, problem.pointer == nil { problem.pointer = pointer }
                throw problem
            }
        }
    }

    @MainActor private func add(
        _ located: [WantedEntry.Located], after id: String?, play: Bool, _ request: RouteRequest
    ) async throws(Problem) -> HTTPResponse {
        try requireMatch(request)
        let command = PlayerCommand.insert(try resolved(located), after: id, play: play)
        guard case .entries(let ids) = try await PlayerController.perform(command, on: player, origin: request.origin) else { return .empty() }
        var queue = player.queue
        let new = Set(ids)
        queue.entries.removeAll { !new.contains($0.id) }
        _ = await hub.settledSnapshot()
        let tag = await documents.tag(madeWith: queue.summary.revision)
        return .json(await QueueDocuments.encoded(queue, hub.feed.epoch).bytes, status: 201, entityTag: tag)
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
            try requireMatch(request)
            _ = try await PlayerController.perform(command, on: player, origin: request.origin)
            let revision = player.state.queue.revision
            _ = await hub.settledSnapshot()
            return .changed(entityTag: await documents.tag(madeWith: revision))
        }
    }

    // MARK: Navigation

    func next(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try go(.next, request) }

    func previous(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try go(.previous, request) }

    func play(_ request: RouteRequest) throws(Problem) -> Route.Outcome { try go(.playEntry(Self.id(request)), request) }

    private func go(_ command: PlayerCommand, _ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = request.request.body
        let current =
            body.isEmpty ? nil : try JSONObjectReader(body: body, known: ["current"]).string("current", maximumLength: Self.maximumIDLength)
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            try requireMatch(request)
            try requireCurrent(current)
            _ = try await PlayerController.perform(command, on: player, origin: request.origin)
            return await hub.settledSnapshot().response
        }
    }

    // MARK: Preconditions

    // The caller checks and performs an edit in one turn of the main actor, so that no other edit runs in between.

    @MainActor private func requireMatch(_ request: RouteRequest) throws(Problem) {
        try request.requireMatch(.queue, PlayerQueue.tag(epoch: hub.feed.epoch, revision: player.state.queue.revision))
    }

    /// Rejects a step from another entry than the present current one. So of several clients that skip the same entry, only the first one skips.
    @MainActor private func requireCurrent(_ id: String?) throws(Problem) {
        guard let id else { return }
        let current = player.state.currentItem?.id
        if let current, id.utf8.elementsEqual(current.utf8) { return }
        var problem = Problem(
            .currentEntryChanged, current == nil ? "No entry is current." : "Another entry has become current. Read the state and decide again.")
        problem.currentID = current
        throw problem
    }

    // MARK: Parts

    /// The maximum length of the id of an entry of the queue, in bytes.
    static let maximumIDLength = 256

    /// Checks the URLs of a request. If some cannot be played, rejects the request with a list of all of them, unless the request keeps such entries:
    /// then they become entries with a failure. A URL that is forbidden rejects the request in any case.
    private func locate(
        _ wanted: [WantedEntry], keepsUnplayable: Bool, for request: RouteRequest
    ) async throws(Problem) -> [WantedEntry.Located] {
        var located: [WantedEntry.Located] = []
        located.reserveCapacity(wanted.count)
        var unplayable: [Problem] = []
        for entry in wanted {
            guard let url = entry.url else {
                located.append(.reference(entry))
                continue
            }
            do throws(Problem) {
                let pointer = entry.pointer + "/url"
                let spec =
                    keepsUnplayable
                    ? try await locator.locateEntry(url, title: entry.title, pointer: pointer, isTrusted: request.isTrusted)
                    : try await locator.locate(url, title: entry.title, pointer: pointer, isTrusted: request.isTrusted)
                located.append(.entry(spec, entry))
            } catch {
                // The file of an entry of the queue is not checked again, because the client only refers to the entry.
                if entry.id != nil, MediaLocator.isUnplayable(error) {
                    located.append(.unplayable(error, entry))
                } else if MediaLocator.isUnplayable(error), unplayable.count < Problem.maximumEntryCount {
                    unplayable.append(error)
                } else {
                    throw error
                }
            }
        }
        guard var problem = unplayable.first else { return located }
        problem.entries = unplayable
        throw problem
    }

    /// Returns the specifications of entries. References to entries of the queue are resolved in the turn of the main actor in which the edit is
    /// performed.
    @MainActor private func resolved(_ located: [WantedEntry.Located]) throws(Problem) -> [EntrySpec] {
        var specs: [EntrySpec] = []
        specs.reserveCapacity(located.count)
        for entry in located {
            let wanted = entry.wanted
            if let id = wanted.id, let details = player.details(itemID: id), entry.means(details.item) {
                specs.append(EntrySpec(id: id, source: details.source, url: details.item.url, title: wanted.title))
                continue
            }
            switch entry {
            case .entry(let spec, _): specs.append(spec)
            case .unplayable(let problem, _): throw problem
            case .reference: throw Problem(.entryNotFound, "The queue has no entry with this id.", pointer: wanted.pointer + "/id")
            }
        }
        return specs
    }

    private static func id(_ request: RouteRequest) -> String { request.variables["id"] ?? "" }
}
