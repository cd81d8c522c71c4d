/// One WebSocket carries the events of a stream and any number of commands.
struct SocketController: Sendable {
    /// The subprotocol, which clients need not offer.
    static let subprotocol = "tonearm"

    let broadcast: EventBroadcast
    let commands: SocketCommandTable
    let received: MemoryBudget

    /// Opens a WebSocket (RFC 6455, section 4.2), without extensions.
    func open(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let accept = try Self.accept(request.request)
        let subprotocol = try Self.subprotocol(request.request)
        let subscription = try broadcast.subscription(request)
        let stream = SocketStream(broadcast: broadcast, subscription, table: commands, client: request, received: received)
        var headers = [(name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade")]
        headers.append(("Sec-WebSocket-Accept", accept))
        if let subprotocol { headers.append(("Sec-WebSocket-Protocol", subprotocol)) }
        return .now(HTTPResponse(status: 101, headers: headers, events: stream))
    }

    private static func accept(_ request: HTTPRequest) throws(Problem) -> String {
        guard request.method == "GET", !request.isHTTP10, list("Upgrade", of: request).contains("websocket"),
            list("Connection", of: request).contains("upgrade")
        else { throw Problem(.upgradeRequired, "This path is a WebSocket. Send \"Upgrade: websocket\" and \"Connection: Upgrade\".") }
        guard request.headerValues("Sec-WebSocket-Version") == [Handshake.version] else {
            throw Problem(.upgradeRequired, "The server supports only version 13 of the WebSocket protocol.")
        }
        let keys = request.headerValues("Sec-WebSocket-Key")
        guard keys.count == 1, let accept = Handshake.accept(key: keys[0]) else {
            throw Problem(.malformedRequest, "Sec-WebSocket-Key must occur exactly once, with 16 bytes in base64.")
        }
        return accept
    }

    private static func subprotocol(_ request: HTTPRequest) throws(Problem) -> String? {
        let offered = request.headerValues("Sec-WebSocket-Protocol").flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(
            trimmed)
        guard offered.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }), Set(offered).count == offered.count else {
            throw Problem(.malformedRequest, "Sec-WebSocket-Protocol must be different names, separated by commas.")
        }
        return offered.contains(subprotocol) ? subprotocol : nil
    }

    /// The elements of a header field, in lower case.
    private static func list(_ name: String, of request: HTTPRequest) -> [String] {
        request.headerValues(name).flatMap { $0.split(separator: ",") }.map { trimmed($0).lowercased() }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
