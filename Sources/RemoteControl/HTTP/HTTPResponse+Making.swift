extension HTTPResponse {
    /// How an answer may be kept.
    enum Cache: String, Sendable {
        /// Never.
        case noStore = "no-store"
        /// Kept, and asked about each time (it has an `ETag`).
        case revalidate = "no-cache"
    }

    /// An answer with the header fields that every answer has.
    init(status: Int, contentType: String?, cache: Cache, entityTag: String? = nil, policy: String = SecurityHeaders.closedPolicy, body: [UInt8] = [])
    {
        self.init(status: status, headers: Self.fields(contentType: contentType, cache: cache, entityTag: entityTag, policy: policy), body: body)
    }

    /// A JSON document.
    static func json(_ body: [UInt8], status: Int = 200, cache: Cache = .noStore, entityTag: String? = nil) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", cache: cache, entityTag: entityTag, body: body)
    }

    /// 204, or 304 where there is an entity tag. `policy` is that of what the client has: its fields replace those that it keeps (RFC 9111, 4.3.4).
    static func empty(entityTag: String? = nil, policy: String = SecurityHeaders.closedPolicy) -> HTTPResponse {
        HTTPResponse(
            status: entityTag == nil ? 204 : 304, contentType: nil, cache: entityTag == nil ? .noStore : .revalidate, entityTag: entityTag,
            policy: policy)
    }

    /// An endless stream of events.
    static func events(_ stream: any EventStream) -> HTTPResponse {
        var headers = fields(contentType: "text/event-stream", cache: .noStore, entityTag: nil, policy: SecurityHeaders.closedPolicy)
        // A buffering proxy would hold events back.
        headers.append(("X-Accel-Buffering", "no"))
        return HTTPResponse(status: 200, headers: headers, events: stream)
    }

    private static func fields(contentType: String?, cache: Cache, entityTag: String?, policy: String) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(10)
        if let contentType { headers.append(("Content-Type", contentType)) }
        headers.append(("Cache-Control", cache.rawValue))
        if let entityTag { headers.append(("ETag", entityTag)) }
        headers.append(contentsOf: SecurityHeaders.always)
        headers.append(("Content-Security-Policy", policy))
        return headers
    }
}
