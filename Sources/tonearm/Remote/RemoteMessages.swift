struct RemoteRequest: Sendable, Hashable {
    var method: String
    /// The path and the query, percent-encoded, without a proxy's prefix.
    var target: String
    var body: String?
    /// The value of the field `If-Match`.
    var match: String?
    var lastEventID: String?

    init(_ method: String, _ target: String, _ body: String? = nil, match: String? = nil) {
        self.method = method
        self.target = target
        self.body = body
        self.match = match
    }

    /// The header fields. The connection is closed after the response, because a command needs only a few requests.
    func fields(token: String?) -> [String] {
        var fields = ["Connection: close", "Tonearm-Client: terminal"]
        if let token { fields.append("Authorization: Bearer \(token)") }
        if let match { fields.append("If-Match: \(match)") }
        if let lastEventID { fields.append("Last-Event-ID: \(lastEventID)") }
        if body != nil { fields.append("Content-Type: application/json") }
        return fields
    }
}

/// A response with its whole body.
struct RemoteResponse: Sendable, Hashable {
    var status: Int
    var entityTag: String?
    var body: [UInt8] = []
}
