import Platform
import PlaybackEngine
import Player

struct QueueController: Sendable {
    let player: any RemotePlayer
    let hub: EventHub
    let locator: MediaLocator

    func list(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let page = try QueuePage(request.target)
        return .onMainActor { () throws(Problem) -> HTTPResponse in await document(page).unlessKnown(to: request) }
    }

    @MainActor private func document(_ page: QueuePage) async -> HTTPResponse {
        // The queue and its tag are read in one turn of the main actor, so that they belong together.
        let queue = player.queue(page), tag = tag(madeWith: queue.summary.revision)
        return .json(await queue.encoded(epoch: hub.broadcast.epoch), cache: .revalidate, entityTag: tag)
    }

    /// - Parameter revision: The revision of the queue after an edit, or the present revision.
    @MainActor func tag(madeWith revision: Int) -> String {
        PlayerQueue.tag(epoch: hub.broadcast.epoch, revision: revision, edition: player.queueEdition).text
    }

    // MARK: Editing

    func replace(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(
            body: request.request.body, known: ["entries", "play", "keepUnplayable", "startIndex", "startTime"])
        let wanted = try WantedEntry.read(body)
        let play = try body.bool("play")
        let keeps = try body.bool("keepUnplayable") ?? false
        let start = try Self.start(body, of: wanted)
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            try await replace(with: wanted, start: start, play: play, keepsUnplayable: keeps, request)
        }
    }

    func replace(
        with wanted: [WantedEntry], start: QueueStart? = nil, play: Bool?, keepsUnplayable: Bool, _ request: RouteRequest
    ) async throws(Problem) -> HTTPResponse {
        let (located, first) = try await locate(wanted, start: start?.index, keepsUnplayable: keepsUnplayable, for: request)
        return try await replace(with: located, start: first.map { QueueStart(index: $0, time: start?.time) }, play: play, request)
    }

    @MainActor private func replace(
        with located: [WantedEntry.Located], start: QueueStart?, play: Bool?, _ request: RouteRequest
    ) async throws(Problem) -> HTTPResponse {
        _ = try await perform({ () throws(Problem) in .setQueue(try resolved(located), start: start, play: play) }, request)
        return await document(.whole)
    }

    func add(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["entries", "play", "keepUnplayable"] + QueuePlace.members)
        let wanted = try WantedEntry.read(body)
        let position = try QueuePlace(body) ?? .end
        let play = try body.bool("play") ?? false
        let keeps = try body.bool("keepUnplayable") ?? false
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let (located, _) = try await locate(wanted, keepsUnplayable: keeps, for: request)
            do throws(Problem) {
                return try await add(located, at: position, play: play, request)
            } catch {
                var problem = error
                if problem.code == .entryNotFound, problem.pointer == nil { problem.pointer = position.pointer }
                throw problem
            }
        }
    }

    @MainActor private func add(
        _ located: [WantedEntry.Located], at position: QueuePlace, play: Bool, _ request: RouteRequest
    ) async throws(Problem) -> HTTPResponse {
        let done = try await perform({ () throws(Problem) in .insert(try resolved(located), at: position, play: play) }, request)
        guard case .entries(let ids) = done.reply else { return .empty() }
        // The new entries are neighbours. The answer describes only them, so that an addition to a large queue is cheap.
        let queue = player.queue(QueuePage(start: ids.first.map(QueuePage.Start.entry) ?? .offset(0), limit: min(ids.count, QueuePage.maximumLength)))
        _ = await hub.settledSnapshot()
        let tag = tag(madeWith: done.revision)
        return .json(await queue.encoded(epoch: hub.broadcast.epoch), status: 201, entityTag: tag)
    }

    func clear(_ request: RouteRequest) throws(Problem) -> Route.Outcome { edit(.clear, request) }

    func remove(_ request: RouteRequest) throws(Problem) -> Route.Outcome { edit(.removeEntry(Self.id(request)), request) }

    func move(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["index"])
        guard let index = try body.integer("index", in: 0...Int64(PlaylistMachine.maximumCount)) else { throw body.missing("index") }
        return edit(.moveEntry(Self.id(request), to: Int(index)), request)
    }

    func edit(_ command: PlayerCommand, _ request: RouteRequest) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            let (_, revision) = try await perform({ command }, request)
            _ = await hub.settledSnapshot()
            return .changed(entityTag: tag(madeWith: revision))
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
            _ = try await PlayerController.perform(command, on: player, for: request)
            return await hub.settledSnapshot().response
        }
    }

    // MARK: Preconditions

    // The caller checks and performs an edit in one turn (one job of the main actor), so that no other edit runs in between.

    /// Performs an edit. Returns the reply, and the revision of the queue after the edit. `command` is called after the check of `If-Match`, in the
    /// same turn as the edit.
    @MainActor func perform(
        _ command: () throws(Problem) -> PlayerCommand, _ request: RouteRequest
    ) async throws(Problem) -> (reply: PlayerReply, revision: Int) {
        try requireMatch(request)
        let reply = try await PlayerController.perform(try command(), on: player, for: request)
        return (reply, player.state.queue.revision)
    }

    @MainActor private func requireMatch(_ request: RouteRequest) throws(Problem) {
        try request.requireMatch(.queue, PlayerQueue.tag(epoch: hub.broadcast.epoch, revision: player.state.queue.revision))
    }

    /// Requires that the entry from which the client steps is current, so that an entry is skipped once even if several clients skip it. If `id` is
    /// nil, every step is accepted.
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

    /// The greatest length of an id, in bytes.
    static let maximumIDLength = 256
    /// The greatest number of entries or ids in a request. Folders and lists among them may become more entries.
    static let maximumRequestCount = 10_000

    /// The start that a request states; nil if it has neither `startIndex` nor `startTime`.
    private static func start(_ body: JSONObjectReader, of wanted: [WantedEntry]) throws(Problem) -> QueueStart? {
        let index = try body.integer("startIndex", in: 0...Int64(maximumRequestCount)).map(Int.init)
        let time = try body.number("startTime", in: 0...PlayerController.times.upperBound)
        guard index != nil || time != nil else { return nil }
        let start = index ?? 0
        guard wanted.indices.contains(start) else {
            throw Problem(
                .outOfRange, "The list has no entry at this index.", pointer: body.pointer(index != nil ? "startIndex" : "startTime"))
        }
        return QueueStart(index: start, time: time)
    }

    /// Checks the URLs of a request, and replaces each folder and playlist file by the entries of its media.
    ///
    /// Entries that cannot be played become entries with a failure if `keepsUnplayable` is true. Otherwise the request is rejected with a list of
    /// their problems. If more than `Problem.maximumEntryCount` entries cannot be played, it is rejected with one problem alone, that of the first
    /// entry beyond this number. A forbidden URL rejects the request in any case.
    ///
    /// `start` and the second result are indices of the entry that becomes current; nil if the request names none.
    private func locate(
        _ wanted: [WantedEntry], start: Int? = nil, keepsUnplayable: Bool, for request: RouteRequest
    ) async throws(Problem) -> (located: [WantedEntry.Located], start: Int?) {
        var located: [WantedEntry.Located] = []
        var first: Int?
        located.reserveCapacity(wanted.count)
        var unplayable: [Problem] = []
        let deadline = locator.clock.now + MediaExpansion.maximumTime
        for (index, entry) in wanted.enumerated() {
            if index == start { first = located.count }
            guard let url = entry.url else {
                located.append(.reference(entry))
                continue
            }
            do throws(Problem) {
                let maximum = PlaylistMachine.maximumCount - located.count
                if let specs = try await expand(url, entry, maximum: maximum, keepsUnplayable: keepsUnplayable, deadline: deadline, for: request) {
                    located += specs.map { WantedEntry.Located.entry($0, entry) }
                    continue
                }
                let pointer = entry.pointer + "/url"
                var spec =
                    keepsUnplayable
                    ? try await locator.locateEntry(url, title: entry.title, pointer: pointer, isTrusted: request.isTrusted)
                    : try await locator.locate(url, title: entry.title, pointer: pointer, isTrusted: request.isTrusted)
                spec.startTime = entry.startTime
                located.append(.entry(spec, entry))
            } catch {
                // An entry of the queue is kept even if its URL cannot be used.
                if entry.id != nil, MediaLocator.isUnusable(error) {
                    located.append(.unplayable(error, entry))
                } else if MediaLocator.isUnplayable(error), unplayable.count < Problem.maximumEntryCount {
                    unplayable.append(error)
                } else {
                    throw error
                }
            }
        }
        guard var problem = unplayable.first else { return (located, first) }
        problem.entries = unplayable
        throw problem
    }

    /// The entries of a folder or playlist file, of which the first gets the start position of `entry`. Nil if the URL names neither, or if `entry`
    /// has an id.
    private func expand(
        _ url: String, _ entry: WantedEntry, maximum: Int, keepsUnplayable: Bool, deadline: HostTime, for request: RouteRequest
    ) async throws(Problem) -> [EntrySpec]? {
        guard entry.id == nil else { return nil }
        let pointer = entry.pointer + "/url"
        var specs: [EntrySpec]
        do throws(Problem) {
            let found = try await locator.expand(
                url, pointer: pointer, isTrusted: request.isTrusted, keepsUnplayable: keepsUnplayable, maximumCount: maximum, deadline: deadline,
                for: request.request.peer.network)
            guard let found else { return nil }
            specs = found
        } catch {
            guard keepsUnplayable, MediaLocator.isUnplayable(error) else { throw error }
            // The folder or playlist file itself becomes an entry, whose failure describes this problem.
            var spec = try await locator.locateEntry(url, title: entry.title, pointer: pointer, isTrusted: request.isTrusted)
            spec.failure = PlayerState.Failure(code: MediaLocator.failure(of: error) ?? .notAFile, message: error.detail)
            spec.startTime = entry.startTime
            return [spec]
        }
        guard entry.title == nil else { throw Problem(.invalidValue, "A folder or playlist file cannot have a title.", pointer: pointer) }
        if entry.startTime != nil, !specs.isEmpty { specs[0].startTime = entry.startTime }
        return specs
    }

    /// Finds the entries that ids name. Called in the same turn as the edit (one job of the main actor), because an id may name a queue entry.
    @MainActor private func resolved(_ located: [WantedEntry.Located]) throws(Problem) -> [EntrySpec] {
        var specs: [EntrySpec] = []
        specs.reserveCapacity(located.count)
        for entry in located {
            let wanted = entry.wanted
            if let id = wanted.id, let details = player.details(itemID: id), entry.means(details.item) {
                specs.append(
                    EntrySpec(id: id, source: details.source, url: details.item.url, title: wanted.title, startTime: wanted.startTime))
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

extension QueuePage {
    static let maximumLimit = 1000
    /// The number of entries if the request has no `limit`.
    private static let limitAroundCurrent = 100

    private enum Center: String { case current }

    init(_ target: RequestTarget) throws(Problem) {
        let offset = try target.integer("offset", in: 0...PlaylistMachine.maximumCount)
        let limit = try target.integer("limit", in: 1...Self.maximumLimit)
        let order = try Self.choice("order", QueueOrder.display, target)
        if target.parameter("around") != nil {
            _ = try Self.choice("around", Center.current, target)
            self.init(start: .aroundCurrent, limit: limit ?? Self.limitAroundCurrent, order: order)
        } else {
            self.init(start: .offset(offset ?? 0), limit: limit, order: order)
        }
    }

    /// The value of a parameter; `absent` if the request does not have it.
    private static func choice<Value: RawRepresentable<String>>(_ name: String, _ absent: Value, _ target: RequestTarget) throws(Problem) -> Value {
        guard let text = target.parameter(name) else { return absent }
        guard text.utf8.count <= 64, let value = Value(rawValue: text) else {
            throw Problem(.invalidParameter, "The parameter has no such value.", parameter: name)
        }
        return value
    }
}
