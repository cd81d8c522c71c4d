import AVFoundation
import Platform
import PlaybackEngine
import Player

/// The controller that loads and returns the current item, and answers with the pictures of items.
struct ItemController: Sendable {
    let player: any RemotePlayer
    let hub: EventHub
    let locator: MediaLocator
    let inspector: MediaInspector
    let pictures: ScaledPictures
    let clock: any HostClock
    let scheduler: any MainScheduler
    let maximumWait: Double

    func current(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let state = hub.broadcast.snapshot.state
        guard let item = state.currentItem else { throw Problem(.itemNotFound, "No item is loaded.") }
        let document = JSONWriter.object(item.write)
        let tag = tag(of: item, revision: state.queue.revision, document: document).text
        return .now(HTTPResponse.json(document, cache: .revalidate, entityTag: tag).unlessKnown(to: request))
    }

    /// Returns the entity tag of the current item. The tag contains the revision of the queue, because the request that sets the item (`putItem`)
    /// replaces the whole queue: it must fail if another client has edited the queue since the client read the tag.
    /// - Parameter revision: The revision of the queue.
    private func tag(of item: PlayerState.Item, revision: Int, document: [UInt8]) -> ResourceTag {
        ResourceTag(
            .item, version: "\(hub.broadcast.epoch):\(revision):\(PercentEncoding.encodedPath(item.id))", content: EntityTag.hash(document))
    }

    @MainActor private var presentTag: ResourceTag? {
        let state = player.state
        return state.currentItem.map { tag(of: $0, revision: state.queue.revision, document: JSONWriter.object($0.write)) }
    }

    // MARK: Loading

    func put(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let wait = try request.target.number("wait", in: 0...PlayerController.longestWait) ?? 0
        let reader = try JSONObjectReader(body: request.request.body, known: ["url", "play", "startTime", "title"])
        guard let url = try reader.string("url", maximumLength: MediaLocator.maximumURLLength) else { throw reader.missing("url") }
        let play = try reader.bool("play")
        let startTime = try reader.number("startTime", in: 0...PlayerController.times.upperBound)
        let title = try reader.string("title", maximumLength: PlayerState.Item.maximumTextLength)
        let pointer = reader.pointer("url")
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            try await load(url, title: title, pointer: pointer, play: play, startTime: startTime, wait: wait, request)
        }
    }

    /// Checks the URL of a medium, makes the medium the only entry of the queue, and waits at most `wait` seconds until it is loaded.
    func load(
        _ url: String, title: String? = nil, pointer: String, play: Bool?, startTime: Double? = nil, wait: Double, _ request: RouteRequest
    ) async throws(Problem) -> HTTPResponse {
        let entry = try await locator.locate(url, title: title, pointer: pointer, isTrusted: request.isTrusted)
        return try await load(.setItem(entry, play: play, startTime: startTime), wait: min(wait, maximumWait), request)
    }

    /// Checks the precondition and performs the command in one turn (one job of the main actor), so that no other command runs in between.
    @MainActor private func load(_ command: PlayerCommand, wait: Double, _ request: RouteRequest) async throws(Problem) -> HTTPResponse {
        var replaced = Problem(.itemReplaced, "The item was removed before it was ready.")
        replaced.followsChange = true
        try request.requireMatch(.item, presentTag)
        guard case .item(var id) = try await PlayerController.perform(command, on: player, for: request) else { throw replaced }
        let revision = player.state.queue.revision
        if wait > 0 {
            switch await waitUntilLoaded(id, atMost: wait) {
            case .item(let item) where item.status == .failed:
                var problem = Problem(item.error ?? PlayerState.Failure(code: .unknown, message: "The item failed."))
                problem.followsChange = true
                throw problem
            // If the entry was a playlist, another entry than its first one may have become current, because the first could not be opened.
            case .item(let item): id = item.id
            case .timeOut: break
            case .gone: throw replaced
            }
        }
        guard let item = await hub.settledSnapshot().state.currentItem, item.id == id else { throw replaced }
        // The tag is made with `revision`, the queue's revision directly after this command. So if another client has edited the queue since, the tag
        // is already outdated, as it must be.
        let document = JSONWriter.object(item.write)
        var response = HTTPResponse.json(document, status: 201, entityTag: tag(of: item, revision: revision, document: document).text)
        response.headers.append(("Location", "/api/v1/player/item"))
        return response
    }

    private enum Loading: Sendable {
        case item(PlayerState.Item)
        case gone
        case timeOut
    }

    /// Waits until the status of an item is no longer `unknown`, and returns the item. Returns `gone` if the item is removed from the queue during
    /// the wait, and `timeOut` after `seconds` seconds.
    @MainActor private func waitUntilLoaded(_ id: String, atMost seconds: Double) async -> Loading {
        await withCheckedContinuation { continuation in
            let race = Race(continuation)
            let timer = scheduler.schedule(at: clock.now + seconds) { race.finish(.timeOut) }
            Task { @MainActor in
                let item = await player.waitUntilLoaded(itemID: id)
                timer.cancel()
                race.finish(item.map(Loading.item) ?? .gone)
            }
        }
    }

    /// Resumes a continuation with the first of several results, and ignores the later results.
    @MainActor private final class Race {
        private var continuation: CheckedContinuation<Loading, Never>?
        init(_ continuation: CheckedContinuation<Loading, Never>) { self.continuation = continuation }
        func finish(_ loading: Loading) {
            continuation?.resume(returning: loading)
            continuation = nil
        }
    }

    // MARK: Artwork

    func artwork(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let id = request.variable("id")
        if let size = try request.target.integer("size", in: ScaledPictures.sizes) { return scaledArtwork(of: id, size: size, for: request) }
        if let artwork = player.artwork(itemID: id) { return .now(picture(artwork, of: id, for: request)) }
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            // The cache does not contain the item's picture, so the picture is read again: from the medium, or from the URL in the item's feed.
            return picture(try await readArtwork(of: id), of: id, for: request)
        }
    }

    @MainActor @discardableResult private func readArtwork(of id: String) async throws(Problem) -> Artwork {
        let details = try player.knownDetails(itemID: id)
        // If the item is from a feed that names a picture, the picture is read from the picture's server, even if the medium is a file.
        let source = details.item.picture.map { MediaSource(.remote(url: $0)) } ?? details.source
        guard details.item.hasArtwork, let artwork = try await inspector.artwork(itemID: id, source) else {
            throw Problem(.artworkNotFound, "The item has no picture, or has not been opened yet.")
        }
        return artwork
    }

    /// Answers with the item's picture, scaled to at most `size` pixels on its longer side. If the client already has the scaled picture, the answer
    /// is 304, and no picture is scaled.
    private func scaledArtwork(of id: String, size: Int, for request: RouteRequest) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            if player.artwork(itemID: id) == nil { try await readArtwork(of: id) }
            let isKnown = request.fields.ifNoneMatch.map { EntityTag.noneMatchNames($0, tag(id, size: size)) } ?? false
            let client = request.request.peer.network
            let artwork =
                isKnown
                ? Artwork(mimeType: "", data: [])
                : try await pictures.picture(of: id, size: size, for: client) { [player] in player.artwork(itemID: id) }
            return picture(artwork, of: id, size: size, for: request)
        }
    }

    private func picture(_ artwork: Artwork, of id: String, size: Int? = nil, for request: RouteRequest) -> HTTPResponse {
        // Ids are not reused in one run of the server. So an address that names the run (`epoch`) always means the same picture.
        let isOfThisRun = request.target.parameter("epoch").map { $0.utf8.elementsEqual(hub.broadcast.epoch.utf8) } ?? false
        return .file(
            artwork.data, contentType: Self.contentType(artwork.mimeType), cache: isOfThisRun ? .immutablePrivate : .revalidate,
            entityTag: tag(id, size: size), for: request.fields)
    }

    /// Returns the entity tag of an item's picture. It needs no hash, because the picture of an item never changes, and an id is not reused before
    /// the server restarts (R-ASSET-02).
    private func tag(_ id: String, size: Int?) -> String {
        "\"artwork:\(hub.broadcast.epoch):\(PercentEncoding.encodedPath(id))" + (size.map { "?size=\($0)" } ?? "") + "\""
    }

    /// Returns the content type for a picture. `type` was read from a media file, so only formats that cannot contain a script are accepted.
    static func contentType(_ type: String) -> String {
        switch type.lowercased() {
        case "image/jpeg", "image/jpg": "image/jpeg"
        case "image/png": "image/png"
        case "image/gif": "image/gif"
        case "image/webp": "image/webp"
        case "image/bmp", "image/x-ms-bmp": "image/bmp"
        default: "application/octet-stream"
        }
    }
}
