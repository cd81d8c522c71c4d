import PlaybackEngine

/// The operations that are WebSocket commands, by id. A command takes the same route as over HTTP.
struct SocketCommandTable: Sendable {
    private struct Entry: Sendable {
        let route: Route
        let variables: [String]
    }

    private let entries: [String: Entry]
    private let idempotency: IdempotencyKeys
    private let metrics: RequestMetrics
    private let unread: MemoryBudget
    /// The size of a small answer, in bytes. Smaller answers are not in the memory budget, because `SocketCommands` limits them.
    private static let smallAnswer = 16 << 10

    /// - Parameter others: The ids of the operations that are no commands: no message can answer them, or they concern a browser's cookies.
    /// - Parameter unread: The budget for answers that clients have not read.
    init(_ routes: [Route], without others: Set<String>, idempotency: IdempotencyKeys, metrics: RequestMetrics, unread: MemoryBudget) {
        self.idempotency = idempotency
        self.metrics = metrics
        self.unread = unread
        let pairs = routes.filter { !others.contains($0.operationID) }.map { route in
            let variables = route.template.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
            return (route.operationID, Entry(route: route, variables: variables))
        }
        entries = Dictionary(uniqueKeysWithValues: pairs)
    }

    var names: Set<String> { Set(entries.keys) }

    /// Returns the frame with the answer (a problem if the message is malformed or the command fails), and the memory of the frame, if that is large.
    /// - Parameter hold: The object that keeps the client's next command from starting.
    func answer(to message: [UInt8], from client: SocketClient, hold: CommandHold) async -> (frame: [UInt8], memory: MemoryReservation?) {
        var id: String?
        var operation: String?
        var response: HTTPResponse
        var memory: MemoryReservation?
        var omitsResult = false
        do throws(Problem) {
            let members = try JSONObjectReader(body: message)
            // The id is read first, because it is returned with every problem of the other members.
            id = try members.string("id", maximumLength: 64)
            try members.refuseUnknown(["id", "command", "arguments", "ifMatch", "idempotencyKey", "notAfter", "client", "omitsResult"])
            guard id != nil else { throw members.missing("id") }
            guard let name = try members.string("command", maximumLength: 64) else { throw members.missing("command") }
            guard let entry = entries[name] else {
                throw Problem(
                    .notFound, "There is no command with this name. The commands are the operationIds of /openapi.yaml.",
                    pointer: members.pointer("command"))
            }
            operation = name
            omitsResult = try members.bool("omitsResult") ?? false
            let fields = try Self.fields(members, client)
            let arguments = try members.members("arguments") ?? []
            let request = try Self.inArguments { () throws(Problem) in try Self.request(entry, arguments, fields, client, hold) }
            // A read changes nothing, so the next command need not wait for it.
            let isRead = entry.route.isRead
            if isRead { hold.release() }
            // A change is refused before it is carried out: afterwards its answer is kept even beyond the budget (`isForced`).
            if entry.route.hasLargeAnswer, !isRead, !unread.hasShare(client.peer.network) { throw Problem.unreadAnswers }
            response = try await outcome(entry.route, request)
            if omitsResult { response.body = .bytes([]) }
            let size = Self.size(of: response)
            if size > Self.smallAnswer {
                memory = unread.reserve(size, for: client.peer.network, isForced: !isRead)
                guard memory != nil else { throw Problem.unreadAnswers }
            }
        } catch {
            response = error.response
        }
        metrics.count(operation: operation, status: response.status)
        return (SocketFrame.text(Self.answer(id, response)), memory)
    }

    private func outcome(_ route: Route, _ request: RouteRequest) async throws(Problem) -> HTTPResponse {
        do throws(Problem) {
            switch try route.outcome(request, once: idempotency) {
            case .now(let response): return response
            case .onMainActor(let work): return try await work()
            case .elsewhere(let work): return try await work()
            }
        } catch {
            throw error.inArguments
        }
    }

    // MARK: Fields

    /// The members `client`, `ifMatch`, `idempotencyKey` and `notAfter` as the header fields of HTTP.
    private static func fields(_ members: JSONObjectReader, _ client: SocketClient) throws(Problem) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let name = try members.string("client", maximumLength: SocketClient.maximumNameLength) ?? client.name {
            fields.append(("Tonearm-Client", name))
        }
        if let tags = try members.string("ifMatch", maximumLength: IfMatch.maximumLength) {
            do throws(Problem) { _ = try IfMatch(tags) } catch { throw Problem(.invalidValue, error.detail, pointer: members.pointer("ifMatch")) }
            fields.append(("If-Match", tags))
        }
        if let key = try members.string("idempotencyKey", maximumLength: IdempotencyKeys.maximumKeyLength) {
            guard IdempotencyKeys.isKey(key) else {
                throw Problem(.invalidValue, IdempotencyKeys.keyRule, pointer: members.pointer("idempotencyKey"))
            }
            fields.append(("Idempotency-Key", key))
        }
        if let time = try members.number("notAfter", in: CommandDeadline.times) { fields.append(("Tonearm-Not-After", JSONWriter.text(time))) }
        return fields
    }

    /// Calls `body`, and gives the JSON pointers in its problems the prefix `/arguments`.
    private static func inArguments<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        do throws(Problem) { return try body() } catch { throw error.inArguments }
    }

    // MARK: Arguments

    /// Makes a request. An argument becomes the path variable or query parameter of its name; all others become members of the body.
    private static func request(
        _ entry: Entry, _ arguments: [JSONMember], _ fields: [(name: String, value: String)], _ client: SocketClient, _ hold: CommandHold
    ) throws(Problem) -> RouteRequest {
        var variables: [String: String] = [:]
        var parameters: [(name: String, value: String)] = []
        var members: [JSONMember] = []
        for argument in arguments {
            if entry.variables.contains(argument.name) {
                variables[argument.name] = try text(argument, maximumLength: Router.maximumVariableLength)
            } else if entry.route.parameters.contains(argument.name) {
                parameters.append((argument.name, try text(argument, maximumLength: RequestTarget.maximumValueLength)))
            } else {
                members.append(argument)
            }
        }
        for name in entry.variables where variables[name] == nil {
            throw Problem(.missingMember, "The member \"\(name)\" is required.", pointer: JSONPointer.text([name]))
        }
        var body: [UInt8] = []
        switch entry.route.body {
        case .none:
            if let unknown = members.first { throw JSONObjectReader.unknown(unknown.name, path: []) }
        case .optional: if !members.isEmpty { body = JSONWriter.text(of: .object(members)) }
        case .required: body = JSONWriter.text(of: .object(members))
        }
        var headers = fields
        if !body.isEmpty { headers.append(("Content-Type", "application/json")) }
        let request = HTTPRequest(method: entry.route.method, path: entry.route.template, headers: headers, body: body, peer: client.peer)
        return RouteRequest(
            request: request, fields: RequestFields(request), target: RequestTarget(path: entry.route.template, parameters: parameters),
            variables: variables, credential: client.credential, hold: hold)
    }

    /// The text of an argument, with the same limit as over HTTP.
    private static func text(_ argument: JSONMember, maximumLength: Int) throws(Problem) -> String {
        let pointer = JSONPointer.text([argument.name])
        let text = try text(argument, pointer)
        guard text.utf8.count <= maximumLength else {
            throw Problem(.invalidValue, "\"\(argument.name)\" may have at most \(maximumLength) bytes of UTF-8.", pointer: pointer)
        }
        return text
    }

    private static func text(_ argument: JSONMember, _ pointer: String) throws(Problem) -> String {
        switch argument.value {
        case .string(let text):
            guard !text.isEmpty, !text.utf8.contains(0) else {
                throw Problem(.invalidValue, "\"\(argument.name)\" must be a string that is not empty and contains no NUL.", pointer: pointer)
            }
            return text
        case .number(let number): return number.text
        case .bool(let value): return value ? "true" : "false"
        case .null, .array, .object:
            throw Problem(
                .wrongType, "\"\(argument.name)\" must be a string, a number or a boolean, not \(argument.value.kindName).", pointer: pointer)
        }
    }

    // MARK: Answers

    /// The approximate size of an answer in its frame, in bytes.
    private static func size(of response: HTTPResponse) -> Int {
        guard case .bytes(let body) = response.body else { return 0 }
        // Other content than JSON becomes base64.
        return response.headers.contains { $0.name == "Content-Type" && $0.value.hasSuffix("json") } ? body.count : body.count / 3 * 4
    }

    /// Encodes an answer. `result` is the JSON document, or an object with the content type and the content as text or base64.
    private static func answer(_ id: String?, _ response: HTTPResponse) -> [UInt8] {
        guard case .bytes(let body) = response.body else { preconditionFailure("an operation with an endless response is not a command") }
        let type = response.headers.first { $0.name == "Content-Type" }?.value ?? ""
        return JSONWriter.object(capacity: body.count + 96) { writer in
            writer.member("id", ifPresent: id)
            writer.member("entityTag", ifPresent: response.headers.first { $0.name == "ETag" }?.value)
            if response.headers.contains(where: { $0.name == "Idempotency-Replayed" }) { writer.member("isReplayed", true) }
            switch type {
            case "application/problem+json": writer.member("problem", json: body)
            case _ where body.isEmpty: writer.member("result") { _ in }
            case "application/json": writer.member("result", json: body)
            default:
                writer.member("result") { writer in
                    writer.member("contentType", type)
                    if let text = String(validating: body, as: UTF8.self) {
                        writer.member("text", text)
                    } else {
                        writer.member("data", Handshake.base64(body))
                    }
                }
            }
        }
    }
}

extension Problem {
    /// The problem with JSON pointers that begin at the message; a query parameter becomes one too.
    fileprivate var inArguments: Problem {
        var problem = self
        problem.pointer = (pointer ?? parameter.map { JSONPointer.text([$0]) }).map { "/arguments" + $0 }
        problem.entries = entries.map(\.inArguments)
        return problem
    }
}
