/// One operation of the API: a row of the table in `RemoteAPI`.
struct Route: Sendable {
    enum BodyRule: Sendable { case none, optional, required }

    enum Outcome: Sendable {
        case now(HTTPResponse)
        /// The answer is made on the main actor, because it owns the player.
        case onMainActor(@MainActor @Sendable () async throws(Problem) -> HTTPResponse)
        /// The answer is made on another thread than the server's, because the work may block.
        case elsewhere(@Sendable () async throws(Problem) -> HTTPResponse)
    }

    typealias Handler = @Sendable (RouteRequest) throws(Problem) -> Outcome

    let method: String
    /// The path, with `{name}` in place of a variable segment.
    let template: String
    /// The id in openapi.yaml, generated clients and WebSocket commands.
    let operationID: String
    let body: BodyRule
    let parameters: [String]
    /// Whether the operation needs no token: its answer is public, or it exchanges the token for a cookie.
    let isOpen: Bool
    /// The greatest length of the body, in bytes.
    let maximumBodyLength: Int
    /// Whether the answer may be larger than a megabyte.
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

    /// Whether the operation only reads; HEAD has the route of GET.
    var isRead: Bool { method == "GET" }

    /// Handles a request; a change with an `Idempotency-Key` is carried out once, and one with `Tonearm-Not-After` not later.
    func outcome(_ request: RouteRequest, once keys: IdempotencyKeys) throws(Problem) -> Outcome {
        // If the answer to a token exchange were stored, a client that knows only the key could receive the cookie.
        guard !isRead, !isOpen else { return try handle(request) }
        var timed = request
        timed.deadline = try CommandDeadline(request.fields, clock: keys.clock)
        return try keys.once(timed, operationID) { () throws(Problem) -> Outcome in
            try timed.deadline?.check()
            return try handle(timed)
        }
    }
}

/// A request that has passed all checks but those of its operation.
struct RouteRequest: Sendable {
    let request: HTTPRequest
    let fields: RequestFields
    let target: RequestTarget
    /// The decoded variables of the path, by their names.
    let variables: [String: String]
    /// The token or cookie of the client; nil if the server needs none.
    var credential: Credential?
    /// Keeps the next command of the same WebSocket from starting; nil over HTTP.
    var hold: CommandHold?
    /// The time after which the request must not be carried out; nil if it has none.
    var deadline: CommandDeadline?
    /// The path prefix of a proxy (`PathPrefix`); empty if the client connects directly.
    var prefix = ""

    /// The name of the client, as `lastChange.origin` in the state.
    var origin: String { ClientName.sanitised(fields.client) }
    /// Whether the client may make the server connect to private networks.
    var isTrusted: Bool { request.peer.isLoopback || credential != nil }
    func variable(_ name: String) -> String { variables[name] ?? "" }
}

/// The field `Tonearm-Client`, as printable text of at most 64 Unicode scalars, because other clients display it.
enum ClientName {
    static let maximumLength = 64

    /// The name without control characters and outer spaces. `remote` if nothing is left, or for `player`, which means the player itself.
    static func sanitised(_ value: String?) -> String {
        guard let value else { return "remote" }
        var name = String.UnicodeScalarView()
        for scalar in value.unicodeScalars where name.count < maximumLength {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
            case .spaceSeparator where name.isEmpty: continue
            default: name.append(scalar)
            }
        }
        while name.last?.properties.generalCategory == .spaceSeparator { name.removeLast() }
        return name.isEmpty || String(name).lowercased() == "player" ? "remote" : String(name)
    }
}
