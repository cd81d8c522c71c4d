extension HTTPResponse {
    /// The rule by which clients and proxies may cache an HTTP answer.
    enum Cache: String, Sendable {
        /// Clients and proxies never store the answer.
        case noStore = "no-store"
        /// Clients and proxies may store the answer, but before each use they ask the server whether its `ETag` is still valid.
        case revalidate = "no-cache"
        /// Clients and proxies may use the stored answer for a year without asking, because the content under this address never changes (RFC 8246).
        case immutable = "public, max-age=31536000, immutable"
        /// Like `immutable`, but only the client may store the answer, and no proxy, because the answer may require the token.
        case immutablePrivate = "private, max-age=31536000, immutable"
    }

    /// Creates an answer with the header fields that every answer has.
    init(status: Int, contentType: String?, cache: Cache, entityTag: String? = nil, policy: String = SecurityHeaders.strictPolicy, body: [UInt8] = [])
    {
        self.init(status: status, headers: Self.fields(contentType: contentType, cache: cache, entityTag: entityTag, policy: policy), body: body)
    }

    /// Returns an answer whose body is a JSON document.
    static func json(_ body: [UInt8], status: Int = 200, cache: Cache = .noStore, entityTag: String? = nil) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", cache: cache, entityTag: entityTag, body: body)
    }

    /// Returns an answer without content: 304 if `entityTag` is not nil, otherwise 204.
    ///
    /// - Parameters:
    ///   - policy: The content policy of the answer that the client has cached. It must be repeated, because the fields of a 304 replace those of the
    ///     cached answer (RFC 9111, 4.3.4).
    ///   - cache: The caching rule of the answer that the client has cached, which must be repeated for the same reason.
    static func empty(entityTag: String? = nil, policy: String = SecurityHeaders.strictPolicy, cache: Cache = .revalidate) -> HTTPResponse {
        HTTPResponse(
            status: entityTag == nil ? 204 : 304, contentType: nil, cache: entityTag == nil ? .noStore : cache, entityTag: entityTag, policy: policy)
    }

    /// Returns an answer to a change, without content, and with the entity tag of the resource after the change.
    static func changed(entityTag: String) -> HTTPResponse {
        var response = empty()
        response.headers.append(("ETag", entityTag))
        return response
    }

    /// Returns this answer, or 304 if the client already has its content, because the request's `If-None-Match` names its `ETag`.
    func unlessKnown(to request: RouteRequest) -> HTTPResponse {
        guard let known = request.fields.ifNoneMatch, let tag = headers.first(where: { $0.name == "ETag" })?.value,
            let named = [tag, EntityTag.compressed(tag)].first(where: { EntityTag.noneMatchNames(known, $0) })
        else { return self }
        return .empty(entityTag: named)
    }

    /// Returns an answer whose body is an endless stream of events.
    static func events(_ stream: any EventStream) -> HTTPResponse {
        var headers = fields(contentType: "text/event-stream", cache: .noStore, entityTag: nil, policy: SecurityHeaders.strictPolicy)
        // The field `X-Accel-Buffering` asks proxies not to collect parts of the answer before they send them, which would delay events.
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
