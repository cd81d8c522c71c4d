/// One operation of the API: a row of the table in `RemoteAPI`.
struct Route: Sendable {
    /// Whether a request may, must or must not have a body.
    enum BodyRule: Sendable { case none, optional, required }

    /// What a handler gives.
    enum Outcome: Sendable {
        /// The answer.
        case now(HTTPResponse)
        /// The answer comes from the main actor, where the player is.
        case onMainActor(@MainActor @Sendable () async throws(Problem) -> HTTPResponse)
        /// The answer needs the file system first, which may block: it is not the server's thread that waits.
        case elsewhere(@Sendable () async throws(Problem) -> HTTPResponse)
    }

    typealias Handler = @Sendable (RouteRequest) throws(Problem) -> Outcome

    let method: String
    /// The path, with `{name}` for a variable segment.
    let template: String
    /// The name that openapi.yaml, generated clients and WebSocket commands use.
    let operationID: String
    let body: BodyRule
    /// The query parameters that it knows.
    let parameters: [String]
    /// Whether it is answered without a token: what is the same for everybody, and what trades the token.
    let isOpen: Bool
    /// The largest body, bytes.
    let maximumBodyLength: Int
    /// Whether its answer may have more than a megabyte.
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
}

/// A request that has passed every check that does not depend on the operation.
struct RouteRequest: Sendable {
    let request: HTTPRequest
    let fields: RequestFields
    let target: RequestTarget
    /// The values of the template's variable segments, decoded.
    let variables: [String: String]
    /// Whether it came with a token that was needed.
    let hasToken: Bool

    /// Who says so, for `lastChange.origin`.
    var origin: String { ClientName.sanitised(fields.client) }
    /// Whether who asks may have the server reach for private networks: it is on this machine, or has the token.
    var isTrusted: Bool { request.peer.isLoopback || hasToken }
    /// The value of a variable segment of the path.
    func variable(_ name: String) -> String { variables[name] ?? "" }
}
