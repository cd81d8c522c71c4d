public import Platform
import PlaybackEngine
public import Playlist

/// The remote control: answers every request, from any thread, independently of sockets.
///
/// A request is admitted by its head: `RequestGuard`, the table of routes, `AccessGuard`, the length of the body. Then a controller decodes it on the
/// caller's thread, and it is carried out on the main actor. Answers from the published state need no main actor. No content of a request can trap or
/// cause a 5xx.
public final class RemoteAPI: HTTPHandler {
    /// The maximum length of a body, in bytes.
    public static let maximumBodyLength = 1 << 20

    /// How many listings of folders may be under way or wait at once.
    static let maximumListings = 16
    /// How many of them may belong to one client (`HTTPPeer.network`).
    static let maximumListingsOfOne = 4

    private let requestGuard: RequestGuard
    private let access: AccessGuard
    private let idempotency: IdempotencyStore
    private let metrics: RequestMetrics
    private let waveforms: WaveformStore
    private let clock: any HostClock
    private let router: Router
    private let web: WebController
    private let hub: EventHub
    /// Of the queue, for the waveforms of items that leave it.
    private let queueObservation: ObservationToken
    private let knownHosts = KnownHosts()
    /// The memory for bodies of requests and WebSocket messages, from their first byte until they are answered.
    public let received = MemoryBudget(total: 16 << 20, share: 4 << 20)
    /// The memory for answers that clients have not read. The largest answers are a picture of 16 MiB and a queue full of text, of about that size.
    public let unread = MemoryBudget(total: 64 << 20, share: 16 << 20)

    /// Observes `player` from here on.
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
        self.clock = clock
        access = AccessGuard(tokens: configuration.tokens, clock: clock, wallClock: configuration.wallClock)
        idempotency = IdempotencyStore(clock: clock)
        hub = EventHub(
            player: player, epoch: configuration.epoch, answerFields: configuration.requestGuard.answerFields, clock: clock, scheduler: scheduler,
            limits: limits, runner: runner)
        // Three separate queues, so that browsing a slow disk, or serving the page from one, does not delay playback.
        web = WebController(web: configuration.web, files: FileQueue("web", limit: 256))
        let browsing = FileQueue("browsing", limit: Self.maximumListings, share: Self.maximumListingsOfOne)
        let locator = MediaLocator(
            confinement: configuration.media, files: FileQueue("playing", limit: 64), allowsPrivateURLs: configuration.allowsPrivateURLs)
        let metrics = RequestMetrics()
        self.metrics = metrics
        waveforms = WaveformStore(opener: player.opener, clock: clock, scheduler: scheduler, runner: waveformRunner)
        let inspector = MediaInspector(player: player, clock: clock, scheduler: scheduler)
        let routes = Self.routes(
            access: AccessController(access: access),
            player: PlayerController(player: player, hub: hub, maximumWait: configuration.maximumWait),
            item: ItemController(
                player: player, hub: hub, locator: locator, inspector: inspector,
                pictures: ScaledPictures(scaler: configuration.pictureScaler), clock: clock, scheduler: scheduler,
                maximumWait: configuration.maximumWait),
            queue: QueueController(player: player, hub: hub, locator: locator, documents: QueueDocuments(player: player, epoch: hub.feed.epoch)),
            library: LibraryController(library: MediaLibrary(confinement: configuration.media), files: browsing),
            media: MediaController(player: player, locator: locator, inspector: inspector, waveforms: waveforms),
            sound: SoundController(
                player: player, hub: hub, directory: configuration.outputs, files: FileQueue("outputs", limit: 16), clock: clock),
            events: EventController(feed: hub.feed),
            service: ServiceController(
                clock: clock, wallClock: configuration.wallClock, readiness: configuration.readiness,
                contract: configuration.contract),
            metrics: MetricsController(player: player, feed: hub.feed, metrics: metrics),
            web: web)
        let commands = SocketCommandTable(
            routes, without: ["getEvents", "openSession", "closeSession"], metrics: metrics, clock: clock)
        router = Router(routes + [Self.socketRoute(SocketController(feed: hub.feed, commands: commands, received: received, unread: unread))])
        queueObservation = player.observe { [weak player, waveforms] notice in
            if case .event(.queueDidChange) = notice { waveforms.forget { player?.details(itemID: $0) == nil } }
        }
    }

    /// Ends every event stream and answers every waiting request, before the server stops. Idempotent.
    @MainActor public func close() {
        hub.close()
        queueObservation.cancel()
        waveforms.forget { _ in true }
    }

    /// The table of routes.
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

    public func prepared(for head: HTTPRequestHead) -> PreparedResponse? {
        guard head.method.equals("GET"), head.path.equals("/api/v1/player"), head.query == nil, let fields = PlainFields(head),
            knownHosts.contains(fields.host), access.admits(fields)
        else { return nil }
        let snapshot = hub.feed.snapshot
        guard let known = fields.ifNoneMatch else {
            metrics.countPrepared(status: 200)
            return snapshot.prepared
        }
        // Only a controller interprets lists, weak tags and other tags.
        guard known.elementsEqual(snapshot.entityTag.utf8) else { return nil }
        metrics.countPrepared(status: 304)
        return snapshot.preparedNotModified
    }

    public func problem(for refusal: HTTPRefusal) -> HTTPResponse {
        metrics.count(operation: nil, status: refusal.status, seconds: 0)
        switch refusal.status {
        case 400: return Problem(.malformedRequest, refusal.detail).response
        case 413: return Problem(.bodyTooLarge, refusal.detail).response
        case 503: return Problem(busy: refusal).response
        default:
            guard case .bytes(let body) = refusal.response.body else { return refusal.response }
            return HTTPResponse(status: refusal.status, contentType: "application/problem+json", cache: .noStore, body: body)
        }
    }

    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) { hub.feed.wakeAll(with: wakeEvents) }

    // MARK: Steps

    /// The facts about a request that its answer needs.
    private struct Call {
        /// The start of the work; the arrival of the body does not count.
        var began: HostTime
        var allowedOrigin: String?
        /// The id of the operation; nil if the request was refused before its route was known.
        var operationID: String?
    }

    private enum Finding {
        case route(Route, variables: [String: String])
        /// A file of the web remote, a preflight, or OPTIONS.
        case other(Route.Outcome)
    }

    /// A request whose head has passed `RequestGuard`, the router, `AccessGuard` and the rules for its body. Only `admit` creates one.
    private struct Admitted: AdmittedRequest {
        let api: RemoteAPI
        /// The request without its body, from the client that counts as its sender.
        let request: HTTPRequest
        let fields: RequestFields
        let target: RequestTarget
        let finding: Finding
        /// Whether it showed a token that was needed.
        let hasToken: Bool
        /// The length that was announced and permitted, in bytes.
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
        request.peer = requestGuard.sender(request, fields)
        call.allowedOrigin = try requestGuard.admit(request, fields)
        knownHosts.insert(fields.hosts[0])
        let target = try RequestTarget(request)
        let finding = try find(request, fields, target)
        var hasToken = false
        switch finding {
        case .other:
            // Files and OPTIONS are answered without a token, so no body is accepted for them.
            if contentLength > 0 { throw Problem(.unexpectedBody, "Send the request without a body.") }
        case .route(let route, _):
            call.operationID = route.operationID
            if !route.isOpen { hasToken = try access.admit(request, fields) }
            try Self.checkBody(route, fields, length: contentLength)
        }
        return Admitted(
            api: self, request: request, fields: fields, target: target, finding: finding, hasToken: hasToken, contentLength: contentLength,
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
                do throws(Problem) { completion(finished(try await work(), call)) } catch { completion(finished(error.response, call)) }
            }
            return nil
        case .elsewhere(let work):
            Task {
                do throws(Problem) { completion(finished(try await work(), call)) } catch { completion(finished(error.response, call)) }
            }
            return nil
        }
    }

    private func outcome(_ admitted: Admitted, _ body: [UInt8]) throws(Problem) -> Route.Outcome {
        // The rules for the body were applied to the announced length, so no other length is accepted.
        guard body.count == admitted.contentLength else {
            throw Problem(.malformedRequest, "The body does not have the announced length.")
        }
        switch admitted.finding {
        case .other(let outcome): return outcome
        case .route(let route, let variables):
            // The page's URL may have any parameters (`/?source=pwa`), because only the page reads them.
            if route.template != "/" { try admitted.target.refuseUnknown(route.parameters) }
            // A change whose answer could not be sent is refused before it is carried out.
            if route.hasLargeAnswer, route.method != "GET", !unread.hasShare(admitted.request.peer.network) { throw Problem.unreadAnswers }
            var request = admitted.request
            request.body = body
            let routed = RouteRequest(
                request: request, fields: admitted.fields, target: admitted.target, variables: variables, hasToken: admitted.hasToken)
            // A token exchange has the same effect each time. Its answer is never replayed to a client that only knows an Idempotency-Key.
            guard route.method == "POST", !route.isOpen else { return try route.handle(routed) }
            return try idempotency.once(routed) { () throws(Problem) -> Route.Outcome in try route.handle(routed) }
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
        // Other methods do not ask a directory whether the file exists. They are answered as for an unknown path.
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
        // The type is checked even without a body, because an empty form is a form. No page can send JSON to another origin without a preflight.
        if let type = fields.contentTypes.first {
            guard isJSON(type) else { throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.") }
        } else if length > 0 {
            throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.")
        }
    }

    /// Whether the type is `application/json`, without a charset other than UTF-8.
    private static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " && $0 != "\t" } }
        return parts.first == "application/json" && parts.dropFirst().allSatisfy { $0.isEmpty || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    private func finished(_ response: HTTPResponse, _ call: Call) -> HTTPResponse {
        var response = response
        requestGuard.open(&response, to: call.allowedOrigin)
        metrics.count(operation: call.operationID, status: response.status, seconds: clock.now - call.began)
        return response
    }
}
