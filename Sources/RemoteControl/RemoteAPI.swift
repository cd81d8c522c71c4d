public import Platform
import PlaybackEngine
public import Player
import Synchronization

/// Answers every HTTP request, on any thread and without sockets.
///
/// The head is checked by `RequestGuard`, the routes, `AccessGuard` and the rules for the body's length. A controller decodes the request on the
/// caller's thread, and the main actor carries it out, except for work that may block. No content of a request can trap or cause a status 5xx.
public final class RemoteAPI: HTTPHandler {
    /// The greatest length of a body, in bytes.
    public static let maximumBodyLength = 1 << 20

    /// The greatest number of listings under way or waiting.
    static let maximumListings = 16
    /// The greatest number of listings of one client (`HTTPPeer.network`).
    static let maximumListingsOfOne = 4

    private let requestGuard: RequestGuard
    private let pathPrefix: PathPrefix
    private let access: AccessGuard
    private let idempotency: IdempotencyKeys
    private let metrics: RequestMetrics
    private let compression: ResponseCompression
    private let router: Router
    private let web: WebController
    private let hub: EventHub
    let parts: Parts
    /// The memory for requests and WebSocket messages, until they are answered.
    public let received = MemoryBudget(total: 16 << 20, share: 4 << 20)
    /// The memory for answers that are not read. The largest are a picture of 16 MiB, and a queue with long texts of about the same size.
    public let unread = MemoryBudget(total: 64 << 20, share: 16 << 20)

    @MainActor public convenience init(
        player: any RemotePlayer, configuration: Configuration, clock: any HostClock, scheduler: any MainScheduler
    ) {
        self.init(
            player: player, configuration: configuration, clock: clock, scheduler: scheduler, limits: EventBroadcast.Limits(),
            runner: EventHub.wakeQueue()
        )
    }

    @MainActor init(
        player: any RemotePlayer, configuration: Configuration, clock: any HostClock, scheduler: any MainScheduler, limits: EventBroadcast.Limits,
        runner: @escaping EventBroadcast.Runner, waveformRunner: WaveformStore.Runner? = nil
    ) {
        requestGuard = configuration.requestGuard
        pathPrefix = configuration.pathPrefix
        compression = ResponseCompression(compress: configuration.compress)
        access = AccessGuard(tokens: configuration.tokens, clock: clock, wallClock: configuration.wallClock)
        idempotency = IdempotencyKeys(clock: clock)
        hub = EventHub(
            player: player, epoch: configuration.epoch, clock: clock, scheduler: scheduler, limits: limits, runner: runner)
        // The work has separate queues, so that a slow disk does not delay playback.
        web = WebController(web: configuration.web, files: FileQueue("web", limit: 256))
        let browsing = FileQueue("browsing", limit: Self.maximumListings, share: Self.maximumListingsOfOne)
        let besides = FileQueue("beside", limit: Self.maximumListings, share: Self.maximumListingsOfOne)
        let locator = MediaLocator(
            confinement: configuration.media, files: FileQueue("playing", limit: 64), allowsPrivateURLs: configuration.allowsPrivateURLs,
            clock: clock, order: configuration.order)
        let metrics = RequestMetrics()
        self.metrics = metrics
        let waveforms = WaveformStore(opener: player.opener, clock: clock, scheduler: scheduler, runner: waveformRunner)
        let summaries = MediaSummaryReader(opener: player.opener, clock: clock, scheduler: scheduler, runner: waveformRunner)
        let pictures = ScaledPictures(scaler: configuration.pictureScaler)
        let inspector = MediaInspector(player: player, clock: clock, scheduler: scheduler)
        let item = ItemController(
            player: player, hub: hub, locator: locator, inspector: inspector, pictures: pictures, clock: clock, scheduler: scheduler,
            maximumWait: configuration.maximumWait)
        let queue = QueueController(player: player, hub: hub, locator: locator)
        let routes = Self.routes(
            access: AccessController(access: access),
            player: PlayerController(player: player, hub: hub, maximumWait: configuration.maximumWait),
            item: item, queue: queue,
            library: LibraryController(
                library: MediaLibrary(confinement: configuration.media, order: configuration.order), files: browsing, summaries: summaries,
                covers: LibraryCovers(
                    locator: locator, opener: player.opener, pictures: pictures, files: besides, clock: clock, scheduler: scheduler),
                maximumWait: configuration.maximumWait),
            media: MediaController(
                player: player, locator: locator, inspector: inspector, waveforms: waveforms, maximumWait: configuration.maximumWait),
            lyrics: LyricsController(
                player: player, inspector: inspector, confinement: configuration.media, files: besides),
            sound: SoundController(
                player: player, hub: hub, catalog: configuration.outputs, files: FileQueue("outputs", limit: 16), clock: clock),
            events: EventController(broadcast: hub.broadcast),
            service: ServiceController(
                information: configuration.information, capabilities: configuration.capabilities, clock: clock,
                wallClock: configuration.wallClock, readiness: configuration.readiness, description: configuration.description),
            metrics: MetricsController(player: player, broadcast: hub.broadcast, metrics: metrics),
            web: web)
        let commands = SocketCommandTable(
            routes, without: ["getEvents", "logIn", "logOut"], idempotency: idempotency, metrics: metrics, unread: unread)
        router = Router(
            routes + [Self.socketRoute(SocketController(broadcast: hub.broadcast, commands: commands, received: received))])
        let queueObservation = player.observe { [weak player, waveforms] notice in
            if case .event(.queueDidChange) = notice { waveforms.forget { player?.details(itemID: $0) == nil } }
        }
        parts = Parts(item: item, queue: queue, waveforms: waveforms, summaries: summaries, queueObservation: queueObservation)
    }

    /// Answers every waiting request. Called before the server stops; further calls have no effect.
    @MainActor public func close() {
        hub.close()
        parts.queueObservation.cancel()
        parts.waveforms.forget { _ in true }
        parts.summaries.close()
    }

    var routes: [Route] { router.routes }
    var broadcast: EventBroadcast { hub.broadcast }

    // MARK: HTTPHandler

    public func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission {
        var call = Call()
        do throws(Problem) {
            return .admitted(try admit(request, contentLength, &call))
        } catch {
            return .refused(finished(error.response, call))
        }
    }

    public func response(refusing problem: Problem) -> HTTPResponse {
        metrics.count(operation: nil, status: problem.code.status)
        return problem.response
    }

    public func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) { hub.broadcast.wakeAll(with: wakeEvents) }

    // MARK: Steps

    private struct Call {
        var allowedOrigin: String?
        /// The id of the operation; nil if the request was refused before its route was known.
        var operationID: String?
        /// Whether the path has the prefix of a proxy (`PathPrefix`), which the answer then needs too.
        var hasPrefix = false
    }

    /// The controllers that the API itself uses, and the work on media that continues after an answer.
    struct Parts: Sendable {
        let item: ItemController
        let queue: QueueController
        let waveforms: WaveformStore
        let summaries: MediaSummaryReader
        /// The observation that discards the waveforms of items that leave the queue.
        let queueObservation: ObservationToken
    }

    private enum Finding {
        case route(Route, variables: [String: String])
        /// The request is for a file of the web remote, a preflight or OPTIONS, and has no operation.
        case other(Route.Outcome)
    }

    /// A request whose head has passed all checks; only `admit` creates it.
    private struct Admitted: AdmittedRequest {
        let api: RemoteAPI
        /// The request without its body; `peer` is the sender (`RequestGuard.sender`).
        let request: HTTPRequest
        let fields: RequestFields
        let target: RequestTarget
        let finding: Finding
        /// The token or cookie of the client; nil if the server needs none.
        let credential: Credential?
        /// The announced length of the body, in bytes.
        let contentLength: Int
        let call: Call
        let answering = AnsweringTask()

        func respond(body: [UInt8], completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse? {
            api.respond(to: self, body: body, completion: completion)
        }
        func abandon() { answering.cancel() }
    }

    /// The task that answers a request later. Only the reading of a medium (`MediaInspector`, `WaveformStore`) ends when it is cancelled.
    private final class AnsweringTask: Sendable {
        private let task = Mutex<Task<Void, Never>?>(nil)
        func begin(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }
        func cancel() { task.withLock { $0 }?.cancel() }
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
            // A client without a token must not send large bodies.
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
        let call = admitted.call
        let outcome: Route.Outcome
        do throws(Problem) { outcome = try self.outcome(admitted, body) } catch { return finished(error.response, call) }
        switch outcome {
        case .now(let response):
            return finished(response, call)
        case .onMainActor(let work):
            let task = Task { @MainActor in
                do throws(Problem) {
                    completion(finished(await encoded(try await work(), admitted), call))
                } catch { completion(finished(error.response, call)) }
            }
            admitted.answering.begin(task)
            return nil
        case .elsewhere(let work):
            let task = Task {
                do throws(Problem) {
                    completion(finished(await encoded(try await work(), admitted), call))
                } catch { completion(finished(error.response, call)) }
            }
            admitted.answering.begin(task)
            return nil
        }
    }

    private func encoded(_ response: HTTPResponse, _ admitted: Admitted) async -> HTTPResponse {
        guard case .route(let route, _) = admitted.finding else { return response }
        return await compression.encoded(response, for: route, admitted.fields)
    }

    /// The result of an admitted request. The function must not block: slow work is part of the returned outcome.
    private func outcome(_ admitted: Admitted, _ body: [UInt8]) throws(Problem) -> Route.Outcome {
        // The rules for the body were applied to its announced length.
        guard body.count == admitted.contentLength else {
            throw Problem(.malformedRequest, "The body does not have the announced length.")
        }
        switch admitted.finding {
        case .other(let outcome): return outcome
        case .route(let route, let variables):
            // Only the page reads the parameters of its URL (`/?source=pwa`).
            if route.template != "/" { try admitted.target.refuseUnknown(route.parameters) }
            // After a change its answer is kept even beyond the client's share. So a change with a large answer is refused before it is carried out.
            if route.hasLargeAnswer, !route.isRead, !unread.hasShare(admitted.request.peer.network) { throw Problem.unreadAnswers }
            var request = admitted.request
            // Some generated clients send null for a body that they leave out.
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
        guard !target.path.hasPrefix("/api/"), let file = web.outcome(target.path, fields) else { throw nothing }
        switch request.method {
        case "GET", "HEAD": return .other(file)
        // A search in a directory may block, so only GET and HEAD search.
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
        // The type is checked even if the body is empty: a page of another origin can send an empty form without a preflight, but no JSON.
        if let type = fields.contentTypes.first {
            guard isJSON(type) else { throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.") }
        } else if length > 0 {
            throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.")
        }
    }

    private static func isNull(_ body: [UInt8]) -> Bool {
        // No client sends a `null` that has more than eight bytes with its white space.
        body.count <= 8 && body.filter { !" \t\r\n".utf8.contains($0) }.elementsEqual("null".utf8)
    }

    /// Whether a content type is JSON, for which UTF-8 is the only permitted charset.
    private static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " && $0 != "\t" } }
        return parts.first == "application/json" && parts.dropFirst().allSatisfy { $0.isEmpty || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    private func finished(_ response: HTTPResponse, _ call: Call) -> HTTPResponse {
        var response = response
        requestGuard.open(&response, to: call.allowedOrigin)
        if call.hasPrefix { pathPrefix.apply(to: &response) }
        metrics.count(operation: call.operationID, status: response.status)
        return response
    }
}

extension RemoteAPI {
    /// Plays media for the user who started the program: one as `putItem` does, several as `putQueue` with `keepUnplayable`, so that a missing file
    /// does not prevent the others. Returns the reason, in one sentence, why nothing can be played.
    /// - Parameter client: The name that is shown as the origin of the change.
    public func play(_ urls: [String], client: String) async -> String? {
        let head = HTTPRequest(method: "PUT", path: "/", headers: [("Tonearm-Client", client)])
        let request = RouteRequest(
            request: head, fields: RequestFields(head), target: RequestTarget(path: "/", parameters: []), variables: [:])
        do throws(Problem) {
            if urls.count == 1 {
                _ = try await parts.item.load(urls[0], pointer: "", play: true, wait: PlayerController.longestWait, request)
            } else {
                let entries = urls.map { WantedEntry(url: $0, pointer: "") }
                _ = try await parts.queue.replace(with: entries, play: true, keepsUnplayable: true, request)
            }
            return nil
        } catch {
            return error.detail
        }
    }
}
