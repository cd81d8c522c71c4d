extension HTTPResponse {
    enum Cache: String, Sendable {
        case noStore = "no-store"
        /// Before each use clients ask whether the `ETag` is still valid.
        case revalidate = "no-cache"
        /// The content under this address never changes (RFC 8246).
        case immutable = "public, max-age=31536000, immutable"
        /// For the client alone, because the answer may require the token.
        case immutablePrivate = "private, max-age=31536000, immutable"
    }

    /// With the header fields that every answer has.
    init(status: Int, contentType: String?, cache: Cache, entityTag: String? = nil, policy: String = SecurityHeaders.strictPolicy, body: [UInt8] = [])
    {
        self.init(status: status, headers: Self.fields(contentType: contentType, cache: cache, entityTag: entityTag, policy: policy), body: body)
    }

    static func json(_ body: [UInt8], status: Int = 200, cache: Cache = .noStore, entityTag: String? = nil) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", cache: cache, entityTag: entityTag, body: body)
    }

    /// 304 if `entityTag` is given, otherwise 204. The policy and the caching rule of the cached answer must be repeated, because the fields of a 304
    /// replace those of the cached answer (RFC 9111, 4.3.4).
    static func empty(entityTag: String? = nil, policy: String = SecurityHeaders.strictPolicy, cache: Cache = .revalidate) -> HTTPResponse {
        HTTPResponse(
            status: entityTag == nil ? 204 : 304, contentType: nil, cache: entityTag == nil ? .noStore : cache, entityTag: entityTag, policy: policy)
    }

    /// `entityTag` is that of the resource after the change.
    static func changed(entityTag: String) -> HTTPResponse {
        var response = empty()
        response.headers.append(("ETag", entityTag))
        return response
    }

    /// 304 if the request's `If-None-Match` names the `ETag`.
    func unlessKnown(to request: RouteRequest) -> HTTPResponse {
        guard let known = request.fields.ifNoneMatch, let tag = headers.first(where: { $0.name == "ETag" })?.value,
            let named = [tag, EntityTag.compressed(tag)].first(where: { EntityTag.noneMatchNames(known, $0) })
        else { return self }
        return .empty(entityTag: named)
    }

    static func events(_ stream: any EventStream) -> HTTPResponse {
        var headers = fields(contentType: "text/event-stream", cache: .noStore, entityTag: nil, policy: SecurityHeaders.strictPolicy)
        // Proxies must not collect events before they send them.
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
