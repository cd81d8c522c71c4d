public import Platform
import PlaybackEngine
public import Playlist

/// The remote control: the handler that answers every HTTP request, on any thread and without using sockets itself.
///
/// The head of a request is checked first, by `RequestGuard`, the table of routes, `AccessGuard` and the rules for the body's length. Then a
/// controller decodes the request on the caller's thread. The main actor carries it out, except for work that may block, which other threads do.
/// Answers from the published state need no main actor. No content of a request can trap or cause a status 5xx.
public final class RemoteAPI: HTTPHandler {
    /// The maximum length of a request's body, in bytes.
    public static let maximumBodyLength = 1 << 20

    /// The maximum number of listings of folders that are under way or waiting at the same time.
    static let maximumListings = 16
    /// The maximum number of listings of folders that are under way or waiting for one client (`HTTPPeer.network`).
    static let maximumListingsOfOne = 4

    private let requestGuard: RequestGuard
    private let pathPrefix: PathPrefix
    private let access: AccessGuard
    private let idempotency: IdempotencyKeys
    private let metrics: RequestMetrics
    private let compression: ResponseCompression
    private let clock: any HostClock
    private let router: Router
    private let web: WebController
    private let hub: EventHub
    let parts: Parts
    /// The memory budget for the bodies of requests and for WebSocket messages, while they are received and until they are answered.
    public let received = MemoryBudget(total: 16 << 20, share: 4 << 20)
    /// The memory budget for answers that clients have not read. The largest answers are a picture of 16 MiB, and a queue with long texts, which has
    /// about the same size.
    public let unread = MemoryBudget(total: 64 << 20, share: 16 << 20)

    /// Creates the API of `player`, and starts to observe `player`.
    @MainActor public convenience init(
        player: any RemotePlayer, configuration: Configuration, clock: any HostClock, scheduler: any MainScheduler
    ) {
        self.init(
            player: player, configuration: configuration, clock: clock, scheduler: scheduler, limits: EventFeed.Limits(), runner: EventHub.wakeQueue()
        )
    }

    @MainActor init(
        player: any RemotePlayer, configuration: Configuration, clock: any HostClock, scheduler: any MainScheduler, limits: EventFeed.Limits,
        runner: @escaping EventFeed.Runner, waveformRunner: WaveformStore.Runner? = nil
    ) {
        requestGuard = configuration.requestGuard
        pathPrefix = configuration.pathPrefix
        self.clock = clock
        compression = ResponseCompression(compress: configuration.compress)
        access = AccessGuard(tokens: configuration.tokens, clock: clock, wallClock: configuration.wallClock)
        idempotency = IdempotencyKeys(clock: clock)
        hub = EventHub(
            player: player, epoch: configuration.epoch, clock: clock, scheduler: scheduler, limits: limits, runner: runner)
        // Playing, listings and page files have separate queues, so that listings or page files on a slow disk do not delay playback.
        web = WebController(web: configuration.web, files: FileQueue("web", limit: 256))
        let browsing = FileQueue("browsing", limit: Self.maximumListings, share: Self.maximumListingsOfOne)
        let besides = FileQueue("beside", limit: Self.maximumListings, share: Self.maximumListingsOfOne)
        let locator = MediaLocator(
            confinement: configuration.media, files: FileQueue("playing", limit: 64), allowsPrivateURLs: configuration.allowsPrivateURLs, clock: clock
        )
        let metrics = RequestMetrics()
        self.metrics = metrics
        let waveforms = WaveformStore(
            opener: player.opener, clock: clock, scheduler: scheduler, runner: waveformRunner, archive: configuration.waveformArchive)
        let summaries = MediaSummaryReader(opener: player.opener, clock: clock, scheduler: scheduler, runner: waveformRunner)
        let pictures = ScaledPictures(scaler: configuration.pictureScaler)
        let inspector = MediaInspector(player: player, clock: clock, scheduler: scheduler)
        let item = ItemController(
            player: player, hub: hub, locator: locator, inspector: inspector, pictures: pictures, clock: clock, scheduler: scheduler,
            maximumWait: configuration.maximumWait)
        let queue = QueueController(
            player: player, hub: hub, locator: locator, documents: QueueDocuments(player: player, epoch: hub.feed.epoch))
        let routes = Self.routes(
            access: AccessController(access: access),
            player: PlayerController(player: player, hub: hub, maximumWait: configuration.maximumWait),
            item: item, queue: queue,
            library: LibraryController(
                library: MediaLibrary(confinement: configuration.media), files: browsing, summaries: summaries,
                covers: LibraryCovers(
                    locator: locator, opener: player.opener, pictures: pictures, files: besides, clock: clock, scheduler: scheduler),
                maximumWait: configuration.maximumWait),
            media: MediaController(
                player: player, locator: locator, inspector: inspector, waveforms: waveforms, maximumWait: configuration.maximumWait),
            lyrics: LyricsController(
                player: player, inspector: inspector, sideFile: SideFile(confinement: configuration.media), files: besides),
            sound: SoundController(
                player: player, hub: hub, catalog: configuration.outputs, files: FileQueue("outputs", limit: 16), clock: clock,
                moves: OutputMoves()),
            events: EventController(feed: hub.feed),
            service: ServiceController(
                information: configuration.information, capabilities: configuration.capabilities, clock: clock,
                wallClock: configuration.wallClock, readiness: configuration.readiness, description: DescriptionFiles(configuration.description)),
            metrics: MetricsController(player: player, feed: hub.feed, metrics: metrics),
            web: web)
        let commands = SocketCommandTable(
            routes, without: ["getEvents", "logIn", "logOut"], idempotency: idempotency, metrics: metrics, clock: clock)
        router = Router(routes + [Self.socketRoute(SocketController(feed: hub.feed, commands: commands, received: received, unread: unread))])
        let queueObservation = player.observe { [weak player, waveforms] notice in
            if case .event(.queueDidChange) = notice { waveforms.forget { player?.details(itemID: $0) == nil } }
        }
        parts = Parts(item: item, queue: queue, waveforms: waveforms, summaries: summaries, queueObservation: queueObservation)
    }

    /// Ends every event stream and answers every waiting request. `close` must be called before the server stops. `close` is idempotent.
    @MainActor public func close() {
        hub.close()
        parts.queueObservation.cancel()
        parts.waveforms.forget { _ in true }
        parts.summaries.close()
    }

    /// The table of routes: one row for each operation of the API.
    var routes: [Route] { router.routes }
    /// The source of all event streams.
    var feed: EventFeed { hub.feed }

    // MARK: HTTPHandler

    public func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission {
        var call = Call(began: clock.now)
        do throws(Problem) {
            return .admitted(try admit(request, contentLength, &call))
        } catch {
            return .refused(finished(error.response, call))
        }
    }

    public func problem(for refusal: HTTPRefusal) -> HTTPResponse {
        metrics.count(operation: nil, status: refusal.status, seconds: 0)
        switch refusal.status {
        case 400: return Problem(.malformedRequest, refusal.detail).response
        case 413: return Problem(.bodyTooLarge, refusal.detail).response
        case 503: return Problem(busy: refusal).response
        default:
            if let code = ProblemCode.all.first(where: { $0.status == refusal.status && $0.name.utf8.elementsEqual(refusal.code.utf8) }) {
                return Problem(code, refusal.detail).response
            }
            guard case .bytes(let body) = refusal.response.body else { return refusal.response }
            return HTTPResponse(status: refusal.status, contentType: "application/problem+json", cache: .noStore, body: body)
        }
    }

    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) { hub.feed.wakeAll(with: wakeEvents) }

    // MARK: Steps

    /// The facts about a request that are needed to answer and count it.
    private struct Call {
        /// The host time at which work on the request began; waiting for the body does not count.
        var began: HostTime
        var allowedOrigin: String?
        /// The id of the route's operation; nil if the request was refused before its route was known.
        var operationID: String?
        /// Whether the path of the request has the prefix of a proxy (`PathPrefix`). The paths in its answer then need the prefix too.
        var hasPrefix = false
    }

    /// The parts that the API uses itself, and not only its routes: the controllers that load media, and the work on media that continues after a
    /// request was answered.
    struct Parts: Sendable {
        let item: ItemController
        let queue: QueueController
        let waveforms: WaveformStore
        let summaries: MediaSummaryReader
        /// The observation of the queue, which discards the waveforms of items that leave the queue.
        let queueObservation: ObservationToken
    }

    private enum Finding {
        case route(Route, variables: [String: String])
        /// The outcome of a request without an operation: a file of the web remote, a preflight, or OPTIONS.
        case other(Route.Outcome)
    }

    /// A request whose head has passed the checks of `RequestGuard`, of the router and of `AccessGuard`, and whose announced body is permitted. Only
    /// the function `admit` creates it.
    private struct Admitted: AdmittedRequest {
        let api: RemoteAPI
        /// The request without its body. The request's `peer` is the client that counts as the sender (`RequestGuard.sender`).
        let request: HTTPRequest
        let fields: RequestFields
        let target: RequestTarget
        let finding: Finding
        /// The valid token or cookie of the request; nil if the server needs none.
        let credential: Credential?
        /// The announced and permitted length of the body, in bytes.
        let contentLength: Int
        let call: Call

        func respond(body: [UInt8], completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse? {
            api.respond(to: self, body: body, completion: completion)
        }
    }

    private func admit(_ request: HTTPRequest, _ contentLength: Int, _ call: inout Call) throws(Problem) -> Admitted {
        let fields = RequestFields(request)
        var request = request
        request.body = []
        let isFolder = pathPrefix.isFolder(request.path)
        if let inner = isFolder ? "/" : pathPrefix.inner(request.path) {
            request.path = inner
            call.hasPrefix = true
        }
        request.peer = requestGuard.sender(request, fields)
        call.allowedOrigin = try requestGuard.admit(request, fields)
        let target = try RequestTarget(request)
        let finding = isFolder ? .other(.now(PathPrefix.redirection())) : try find(request, fields, target)
        var credential: Credential?
        switch finding {
        case .other:
            // Files and OPTIONS need no token. A request for them with a body is refused, so that a client without a token cannot send large bodies.
            if contentLength > 0 { throw Problem(.unexpectedBody, "Send the request without a body.") }
        case .route(let route, _):
            call.operationID = route.operationID
            if !route.isOpen { credential = try access.admit(request, fields) }
            try Self.checkBody(route, fields, length: contentLength)
        }
        return Admitted(
            api: self, request: request, fields: fields, target: target, finding: finding, credential: credential, contentLength: contentLength,
            call: call)
    }

    private func respond(to admitted: Admitted, body: [UInt8], completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse? {
        var beginning = admitted.call
        if admitted.contentLength > 0 { beginning.began = clock.now }
        let call = beginning
        let outcome: Route.Outcome
        do throws(Problem) { outcome = try self.outcome(admitted, body) } catch { return finished(error.response, call) }
        switch outcome {
        case .now(let response):
            return finished(response, call)
        case .onMainActor(let work):
            Task { @MainActor in
                do throws(Problem) {
                    completion(finished(await encoded(try await work(), admitted), call))
                } catch { completion(finished(error.response, call)) }
            }
            return nil
        case .elsewhere(let work):
            Task {
                do throws(Problem) {
                    completion(finished(await encoded(try await work(), admitted), call))
                } catch { completion(finished(error.response, call)) }
            }
            return nil
        }
    }

    private func encoded(_ response: HTTPResponse, _ admitted: Admitted) async -> HTTPResponse {
        guard case .route(let route, _) = admitted.finding else { return response }
        return await compression.encoded(response, for: route, admitted.fields)
    }

    /// Returns the outcome of an admitted request with its whole body: the outcome that `admit` has found, or that of the route's handler. Throws
    /// the problem of a refused request. Must not block, because it runs on the caller's thread; slow work is part of the returned outcome.
    private func outcome(_ admitted: Admitted, _ body: [UInt8]) throws(Problem) -> Route.Outcome {
        // The rules for the body were applied to its announced length, so a body of another length is refused.
        guard body.count == admitted.contentLength else {
            throw Problem(.malformedRequest, "The body does not have the announced length.")
        }
        switch admitted.finding {
        case .other(let outcome): return outcome
        case .route(let route, let variables):
            // The page's URL may have any parameters (`/?source=pwa`), because only the page reads them.
            if route.template != "/" { try admitted.target.refuseUnknown(route.parameters) }
            // If the client's network has used up its share of memory for unread answers, a change with a large answer is refused now: after the
            // change its answer would be kept even beyond the share.
            if route.hasLargeAnswer, !route.isRead, !unread.hasShare(admitted.request.peer.network) { throw Problem.unreadAnswers }
            var request = admitted.request
            // Some generated clients send the JSON value null for a body that they leave out.
            request.body = route.body == .optional && Self.isNull(body) ? [] : body
            let routed = RouteRequest(
                request: request, fields: admitted.fields, target: admitted.target, variables: variables,
                credential: admitted.credential, prefix: admitted.call.hasPrefix ? pathPrefix.text : "")
            return try route.outcome(routed, once: idempotency)
        }
    }

    private func find(_ request: HTTPRequest, _ fields: RequestFields, _ target: RequestTarget) throws(Problem) -> Finding {
        if let (resource, variables) = router.find(target.path) {
            if request.method == "OPTIONS" { return .other(.now(Self.options(resource.allow, fields))) }
            guard let route = resource.route(request.method) else { throw Self.methodNotAllowed(resource.allow) }
            return .route(route, variables: variables)
        }
        let nothing = Problem(.notFound, "The API does not have this path. /openapi.yaml lists the paths.")
        guard !target.path.hasPrefix("/api/"), let file = web.outcome(target.path, request.method, fields) else { throw nothing }
        switch request.method {
        case "GET", "HEAD": return .other(file)
        // If the page's files are in a directory, a search for a file may block. So only GET and HEAD search; another method gets the answer for an
        // unknown path.
        case _ where web.web.mayBlock: throw nothing
        case "OPTIONS": return .other(.now(Self.options("GET, HEAD, OPTIONS", fields)))
        default: throw Self.methodNotAllowed("GET, HEAD, OPTIONS")
        }
    }

    private static func options(_ allow: String, _ fields: RequestFields) -> HTTPResponse {
        if fields.requestedMethod != nil { return RequestGuard.preflight(allow: allow, privateNetwork: fields.asksForPrivateNetwork) }
        var response = HTTPResponse.empty()
        response.headers.append(("Allow", allow))
        return response
    }

    private static func methodNotAllowed(_ allow: String) -> Problem {
        var problem = Problem(.methodNotAllowed, "This path allows \(allow).")
        problem.allow = allow
        return problem
    }

    private static func checkBody(_ route: Route, _ fields: RequestFields, length: Int) throws(Problem) {
        if length > route.maximumBodyLength {
            throw Problem(.bodyTooLarge, "The body of this request may have at most \(route.maximumBodyLength) bytes.")
        }
        guard route.body != .none else {
            if length > 0 { throw Problem(.unexpectedBody, "Send the request without a body.") }
            return
        }
        if route.body == .required, length == 0 { throw Problem(.malformedJSON, "This request requires a JSON object as its body.") }
        // The content type is checked even if the body is empty. A page of another origin can send an empty form without a preflight, but no JSON.
        if let type = fields.contentTypes.first {
            guard isJSON(type) else { throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.") }
        } else if length > 0 {
            throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.")
        }
    }

    /// Whether a body is the JSON value null, which white space may precede and follow.
    private static func isNull(_ body: [UInt8]) -> Bool {
        // Null may have white space around it, but no client sends more than eight bytes, so a longer body is not examined.
        body.count <= 8 && body.filter { !" \t\r\n".utf8.contains($0) }.elementsEqual("null".utf8)
    }

    /// Whether a content type is `application/json`, without a charset other than UTF-8.
    private static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " && $0 != "\t" } }
        return parts.first == "application/json" && parts.dropFirst().allSatisfy { $0.isEmpty || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    private func finished(_ response: HTTPResponse, _ call: Call) -> HTTPResponse {
        var response = response
        requestGuard.open(&response, to: call.allowedOrigin)
        if call.hasPrefix { pathPrefix.apply(to: &response) }
        metrics.count(operation: call.operationID, status: response.status, seconds: clock.now - call.began)
        return response
    }
}
