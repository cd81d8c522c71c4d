/// One operation of the API: a row of the table in `RemoteAPI`.
struct Route: Sendable {
    /// Whether a request to the route may, must or must not have a body.
    enum BodyRule: Sendable { case none, optional, required }

    /// The result of a route's handler: an answer, or the work that produces the answer.
    enum Outcome: Sendable {
        /// An answer that the handler has produced immediately.
        case now(HTTPResponse)
        /// An answer that a handler produces on the main actor, because the main actor owns the player.
        case onMainActor(@MainActor @Sendable () async throws(Problem) -> HTTPResponse)
        /// An answer that is produced by work on another thread than the server's threads, because the work may block.
        case elsewhere(@Sendable () async throws(Problem) -> HTTPResponse)
    }

    typealias Handler = @Sendable (RouteRequest) throws(Problem) -> Outcome

    let method: String
    /// The path of the operation, with `{name}` in place of a variable segment.
    let template: String
    /// The operation's name in openapi.yaml, generated clients and WebSocket commands.
    let operationID: String
    let body: BodyRule
    /// The query parameters that the operation accepts.
    let parameters: [String]
    /// Whether the operation needs no token, because its answer is public, or because it exchanges the token for a cookie.
    let isOpen: Bool
    /// The maximum length of a request's body, in bytes.
    let maximumBodyLength: Int
    /// Whether the answer of the operation may be larger than a megabyte.
    let hasLargeAnswer: Bool
    let handle: Handler

    init(
        _ method: String, _ template: String, _ operationID: String, body: BodyRule = .none, parameters: [String] = [], isOpen: Bool = false,
        maximumBodyLength: Int = RemoteAPI.maximumBodyLength, hasLargeAnswer: Bool = false, _ handle: @escaping Handler
    ) {
        self.method = method
        self.template = template
        self.operationID = operationID
        self.body = body
        self.parameters = parameters
        self.isOpen = isOpen
        self.maximumBodyLength = maximumBodyLength
        self.hasLargeAnswer = hasLargeAnswer
        self.handle = handle
    }

    /// Whether the operation changes nothing. HEAD has the route of GET.
    var isRead: Bool { method == "GET" }

    /// Carries out a request to this route. A change with an `Idempotency-Key` is carried out once.
    func outcome(_ request: RouteRequest, once keys: IdempotencyKeys) throws(Problem) -> Outcome {
        // A token exchange has the same effect each time, so it needs no Idempotency-Key. If its answer were stored, a client that knows only the key
        // and not the token could receive the cookie.
        guard !isRead, !isOpen else { return try handle(request) }
        return try keys.once(request, operationID) { () throws(Problem) -> Outcome in try handle(request) }
    }
}

/// A request that has passed all checks except the checks of its operation.
struct RouteRequest: Sendable {
    let request: HTTPRequest
    let fields: RequestFields
    let target: RequestTarget
    /// The values of the path's variable segments, decoded from percent-encoding, by their names.
    let variables: [String: String]
    /// The credential with which the client proved that it may use the API; nil if the server needs none.
    var credential: Credential?
    /// The hold that keeps the next command of the same WebSocket from starting; nil for a request over HTTP.
    var hold: CommandHold?
    /// The path prefix with which a proxy has forwarded the request (`PathPrefix`); empty if the client connects directly.
    var prefix = ""

    /// The name of the client, which the state shows as `lastChange.origin`.
    var origin: String { ClientName.sanitised(fields.client) }
    /// Whether the client may make the server connect to private networks: a client on the server's machine, or a client with the token.
    var isTrusted: Bool { request.peer.isLoopback || credential != nil }
    /// Returns the value of the path's variable segment `name`, decoded.
    func variable(_ name: String) -> String { variables[name] ?? "" }
}
