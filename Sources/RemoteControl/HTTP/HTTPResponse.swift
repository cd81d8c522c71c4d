/// An answer to an HTTP request. The body of an answer is either complete or a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// A stream without an announced end. With status 101, it is a `DuplexStream`, which owns the connection from then on.
        case events(any EventStream)
    }
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: Body

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }
    public init(status: Int, headers: [(name: String, value: String)], events: any EventStream) {
        self.status = status
        self.headers = headers
        self.body = .events(events)
    }
}

/// One client's event stream, which the server reads when the client's socket is writable: `open`, any number of `read`, `close`, from one thread; a
/// `close` without `open` may be on another thread. The body has no length and no chunks, and ends with the connection.
public protocol EventStream: AnyObject, Sendable {
    /// Passes the function that wakes the server, before the first `read`. The stream calls it, on any thread, if bytes may have become available
    /// after `read` returned 0. Calls are cheap, and several may have the effect of one; `HTTPHandler.serverDidStart` has one for all streams.
    func open(wake: @escaping @Sendable () -> Void)
    /// Copies as many bytes as are available and fit. Returns 0 if none are available now, and nil at the end; the server then closes the connection.
    /// The buffer has at least 4,096 bytes. While the client does not receive, `read` is not called, so the stream should store little.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Ends the stream. Called once, when the client has disconnected or not read for too long, or the server stops; no `read` follows. Without a
    /// preceding `open`, as for `HEAD`, it may be called on another thread.
    func close()
}

/// An event stream that also receives its client's bytes, on a connection that has switched its protocol (RFC 9110, section 7.8).
///
/// After `read` has returned nil, the server still discards the client's bytes for a short time, because otherwise the last sent bytes could be lost.
public protocol DuplexStream: EventStream {
    /// Receives bytes of the client, which are valid during the call. The call is between two of `read`, on the same thread.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Whether the server reads from the client; while false, TCP makes the client wait. Read on the thread of `read`, and again after `wake`.
    var wantsInput: Bool { get }
}

extension HTTPResponse {
    enum Cache: String, Sendable {
        case noStore = "no-store"
        /// Clients ask before each use whether the `ETag` is still valid.
        case revalidate = "no-cache"
        /// The content under this address never changes (RFC 8246).
        case immutable = "public, max-age=31536000, immutable"
        /// The content never changes, but is for the client alone, because the answer may require the token.
        case immutablePrivate = "private, max-age=31536000, immutable"
    }

    /// Makes an answer with the header fields that every answer has.
    init(status: Int, contentType: String?, cache: Cache, entityTag: String? = nil, policy: String = SecurityHeaders.strictPolicy, body: [UInt8] = [])
    {
        self.init(status: status, headers: Self.fields(contentType: contentType, cache: cache, entityTag: entityTag, policy: policy), body: body)
    }

    static func json(_ body: [UInt8], status: Int = 200, cache: Cache = .noStore, entityTag: String? = nil) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", cache: cache, entityTag: entityTag, body: body)
    }

    /// An answer without a body: 304 if `entityTag` is given, otherwise 204. The policy and the caching rule of the cached answer must be repeated,
    /// because the fields of a 304 replace those of the cached answer (RFC 9111, 4.3.4).
    static func empty(entityTag: String? = nil, policy: String = SecurityHeaders.strictPolicy, cache: Cache = .revalidate) -> HTTPResponse {
        HTTPResponse(
            status: entityTag == nil ? 204 : 304, contentType: nil, cache: entityTag == nil ? .noStore : cache, entityTag: entityTag, policy: policy)
    }

    /// The answer to a change; `entityTag` is that of the resource after the change.
    static func changed(entityTag: String) -> HTTPResponse {
        var response = empty()
        response.headers.append(("ETag", entityTag))
        return response
    }

    /// This answer, or 304 if the request's `If-None-Match` names this answer's `ETag`.
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

/// Sends large JSON documents in the gzip format to clients that accept it.
struct ResponseCompression: Sendable {
    /// The sizes of documents that are compressed, in bytes. A smaller one fits into one packet anyway; a larger one would take too
    /// much processor time.
    static let sizes = 1 << 10...1 << 20

    typealias Function = @Sendable ([UInt8]) -> [UInt8]?

    let compress: Function?

    /// Compresses a JSON document of a size in `sizes` for a client that accepts it, on another thread than the main one. If the route may have large
    /// answers, a JSON document and an answer 304 get the field `Vary` in any case.
    func encoded(_ response: HTTPResponse, for route: Route, _ fields: RequestFields) async -> HTTPResponse {
        guard route.method == "GET", route.hasLargeAnswer, let compress else { return response }
        var response = response
        let isJSON = response.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" }
        guard isJSON || response.status == 304 else { return response }
        response.headers.append(("Vary", "Accept-Encoding"))
        guard AcceptEncoding.allowsGzip(fields.acceptEncoding), response.status == 200, case .bytes(let body) = response.body,
            Self.sizes.contains(body.count), let compressed = await Self.run(compress, body), compressed.count < body.count
        else { return response }
        response.body = .bytes(compressed)
        response.headers.append(("Content-Encoding", "gzip"))
        if let tag = response.headers.firstIndex(where: { $0.name == "ETag" }) {
            response.headers[tag].value = EntityTag.compressed(response.headers[tag].value)
        }
        return response
    }

    @concurrent private static func run(_ compress: Function, _ bytes: [UInt8]) async -> [UInt8]? { compress(bytes) }
}

/// The header fields that restrict what a browser may do with an answer.
enum SecurityHeaders {
    static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// The policy for answers that are not a page: no code, nothing loaded, not embedded.
    static let strictPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// The policy for the page, which loads its own files and uses the server's API only. It may make sound (`blob:`), which browsers require
    /// for media keys.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; "
        + "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
