/// Decides whether a request is accepted at all, by the host that it names and the page that sent it (ARCHITECTURE.md, "Threat model").
///
/// A browser sends requests for any page that its user visits. Three fields, which a page cannot forge, distinguish them: `Host` (a foreign name
/// means DNS rebinding), `Origin` (a foreign page) and `Sec-Fetch-Site` (a foreign page whose request carries no origin, such as an image).
public struct RequestGuard: Sendable {
    /// The names that the server answers to besides addresses and `localhost`; in lower case, without port.
    public let allowedHosts: Set<String>
    /// The origins besides the server's own whose pages may use the API, in the form that browsers send (`https://example.com`).
    public let allowedOrigins: Set<String>
    /// Whether an allowed name or origin is not local (`isLocal`). Then clients of other machines may connect through a proxy on this machine, so a
    /// loopback connection does not count as a client of this machine.
    public let allowsForeignNames: Bool
    /// Whether a proxy on this machine may forward the requests of others although the server needs no token.
    public var admitsForwarded = true

    public init(allowedHosts: [String] = [], allowedOrigins: [String] = []) {
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
        allowsForeignNames = !Self.outside(hosts: allowedHosts, origins: allowedOrigins).isEmpty
        self.allowedOrigins = Set(allowedOrigins.map { $0.lowercased() }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    }

    /// Throws if the request must be refused. Returns its origin if that is an allowed foreign one, which the answer must name.
    func admit(_ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard fields.hosts.count == 1 else {
            throw Problem(.malformedRequest, fields.hosts.isEmpty ? "The Host field is missing." : "There is more than one Host field.")
        }
        // Requests are smuggled by means of lengths that a proxy and this server would interpret differently.
        guard fields.contentLengths <= 1, !(fields.contentLengths == 1 && fields.hasTransferEncoding) else {
            throw Problem(.malformedRequest, "The request gives the length of its body twice.")
        }
        guard fields.origins.count <= 1, fields.contentTypes.count <= 1, fields.fetchSites.count <= 1, fields.fetchModes.count <= 1 else {
            throw Problem(.malformedRequest, "The request has more than one Origin, Content-Type, Sec-Fetch-Site or Sec-Fetch-Mode field.")
        }
        try checkHost(fields.hosts[0])
        // Most proxies replace the name in `Host` with their own. Only the forwarding fields show that another client sent the request.
        if fields.isForwarded, !admitsForwarded, !request.peer.isProgram {
            throw Problem(
                .forbiddenHost,
                "A proxy forwarded the request. Start the server with --allow-host or --token-file, so that it requires a token, or with --no-auth."
            )
        }

        let origin = fields.origins.first?.lowercased()
        if let origin {
            if isOwn(origin, host: fields.hosts[0]) {
                // The page is served by this server. The fetch metadata must agree.
            } else if allowedOrigins.contains(origin) {
                return fields.origins[0]
            } else {
                throw Problem(.forbiddenOrigin, "Start the server with --allow-origin to allow pages of this origin.")
            }
        }
        switch fields.fetchSites.first {
        case nil, "same-origin", "none": return nil
        default:
            guard isNavigationToPage(request, fields) else {
                throw Problem(.crossSite, "A page of another site sent this request.")
            }
            return nil
        }
    }

    /// Whether a host name means the local machine wherever it is used: `localhost`, a name below it (RFC 6761, section 6.3), or a loopback address.
    public static func isLocal(_ host: String) -> Bool {
        guard let host = HostName(host) else { return false }
        return host.name == "localhost" || host.name.hasSuffix(".localhost") || host.isLoopback
    }

    /// Whether the pages of an origin (`http://localhost:8123`) are served by this machine.
    public static func isLocalOrigin(_ origin: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: origin.lowercased().hasPrefix) else { return false }
        let authority = origin.dropFirst(scheme.count)
        return isLocal(String(authority.hasSuffix("/") ? authority.dropLast() : authority))
    }

    /// Returns the hosts and origins that are not local.
    public static func outside(hosts: [String], origins: [String]) -> [String] {
        hosts.filter { !isLocal($0) } + origins.filter { !isLocalOrigin($0) }
    }

    /// Returns the peer that counts as the sender. It is not a client of this machine if a proxy here may forward requests of others.
    func sender(_ request: HTTPRequest, _ fields: RequestFields) -> HTTPPeer {
        var peer = request.peer
        if peer.isLoopback, !peer.isProgram, allowsForeignNames || fields.isForwarded { peer.isLoopback = false }
        return peer
    }

    private func checkHost(_ field: String) throws(Problem) {
        guard let host = HostName(field) else { throw Problem(.malformedRequest, "The Host field is malformed.") }
        guard host.isAddress || host.name == "localhost" || allowedHosts.contains(host.name) else {
            throw Problem(.forbiddenHost, "Start the server with --allow-host to allow this name.")
        }
    }

    private func isOwn(_ origin: String, host: String) -> Bool {
        // With a proxy that ends TLS, the page's scheme is https.
        origin == "http://" + host.lowercased() || origin == "https://" + host.lowercased()
    }

    private func isNavigationToPage(_ request: HTTPRequest, _ fields: RequestFields) -> Bool {
        request.path == "/" && (request.method == "GET" || request.method == "HEAD") && fields.fetchModes == ["navigate"] && fields.origins.isEmpty
    }

    // MARK: CORS

    /// The fields that every answer needs if some answers depend on the origin.
    var answerFields: [(name: String, value: String)] { allowedOrigins.isEmpty ? [] : [("Vary", "Origin")] }

    /// The fields of an answer that a page may read besides those that CORS always exposes (Cache-Control, Content-Type and so on): all that
    /// openapi.yaml mentions.
    private static let exposedFields = "ETag, Location, Allow, Retry-After, Idempotency-Replayed, Accept-Ranges, Content-Range, WWW-Authenticate"
    /// The fields that a page may send: all that openapi.yaml mentions.
    private static let allowedFields =
        "Content-Type, If-Match, If-None-Match, Range, If-Range, Last-Event-ID, Tonearm-Client, Idempotency-Key, Authorization"

    /// Adds the fields that let a page of an allowed origin read the answer.
    func open(_ response: inout HTTPResponse, to origin: String?) {
        guard !allowedOrigins.isEmpty else { return }
        response.headers.append(contentsOf: answerFields)
        guard let origin else { return }
        response.headers.append(("Access-Control-Allow-Origin", origin))
        response.headers.append(("Access-Control-Expose-Headers", Self.exposedFields))
    }

    /// The answer to a preflight (an OPTIONS request with `Access-Control-Request-Method`) of an allowed origin.
    static func preflight(allow: String, privateNetwork: Bool) -> HTTPResponse {
        var response = HTTPResponse.empty()
        response.headers.append(("Allow", allow))
        response.headers.append(("Access-Control-Allow-Methods", allow))
        response.headers.append(("Access-Control-Allow-Headers", allowedFields))
        response.headers.append(("Access-Control-Max-Age", "600"))
        if privateNetwork { response.headers.append(("Access-Control-Allow-Private-Network", "true")) }
        return response
    }
}
