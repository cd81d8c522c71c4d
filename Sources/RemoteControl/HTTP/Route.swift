/// One operation of the API: a row of the table in `RemoteAPI`.
struct Route: Sendable {
    /// Whether a request may, must or must not have a body.
    enum BodyRule: Sendable { case none, optional, required }

    /// The result of a handler.
    enum Outcome: Sendable {
        /// An immediate answer.
        case now(HTTPResponse)
        /// An answer from the main actor, which owns the player.
        case onMainActor(@MainActor @Sendable () async throws(Problem) -> HTTPResponse)
        /// An answer that needs work off the server's thread, because it may block.
        case elsewhere(@Sendable () async throws(Problem) -> HTTPResponse)
    }

    typealias Handler = @Sendable (RouteRequest) throws(Problem) -> Outcome

    let method: String
    /// The path, with `{name}` for a variable segment.
    let template: String
    /// The operation's name in openapi.yaml, generated clients and WebSocket commands.
    let operationID: String
    let body: BodyRule
    /// The query parameters that the operation accepts.
    let parameters: [String]
    /// Whether the operation needs no token: public content, and the exchange of the token.
    let isOpen: Bool
    /// The maximum length of a body, in bytes.
    let maximumBodyLength: Int
    /// Whether the answer may exceed a megabyte.
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

/// A request that has passed all checks that do not depend on the operation.
struct RouteRequest: Sendable {
    let request: HTTPRequest
    let fields: RequestFields
    let target: RequestTarget
    /// The values of the template's variable segments, decoded.
    let variables: [String: String]
    /// Whether it showed a token that was needed.
    let hasToken: Bool

    /// The client's name, for `lastChange.origin`.
    var origin: String { ClientName.sanitised(fields.client) }
    /// Whether the client may make the server connect to private networks: it is on this machine, or has the token.
    var isTrusted: Bool { request.peer.isLoopback || hasToken }
    /// Returns the value of a variable segment of the path.
    func variable(_ name: String) -> String { variables[name] ?? "" }
}
