import Platform

/// Decides whether a request is accepted at all, by the host that it names and by the web page that sent it (SECURITY.md).
///
/// A browser sends requests for any page that its user visits. Three header fields, which a page cannot forge, show whether a foreign page sent the
/// request: `Host` with a foreign name (DNS rebinding), `Origin` with the name of a foreign page, and `Sec-Fetch-Site` if the request has no
/// `Origin`, such as the request for an image.
public struct RequestGuard: Sendable {
    /// The permitted names in `Host`, in addition to addresses and `localhost`; in lower case, without port.
    public let allowedHosts: Set<String>
    /// The origins whose pages may use the API, in addition to the server's own origin, in the form that browsers send (`https://example.com`).
    public let allowedOrigins: Set<String>
    /// Whether an allowed host name or origin is not local (`isLocal`), which means that a proxy on the server's machine may forward requests of
    /// other machines. A client with a loopback address then does not count as a client on the server's machine.
    public let allowsForeignNames: Bool
    /// Whether requests are accepted that a proxy has forwarded for other clients. It is false if the server needs no token and the user has not
    /// stated that this is intended (`--no-auth`), because the proxy could give everyone access.
    public var admitsForwarded = true
    /// The proxies from which the server accepts the address of a client (`X-Forwarded-For`).
    public var trustedProxies = TrustedProxies()

    public init(allowedHosts: [String] = [], allowedOrigins: [String] = []) {
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
        allowsForeignNames = !Self.outside(hosts: allowedHosts, origins: allowedOrigins).isEmpty
        self.allowedOrigins = Set(allowedOrigins.map { $0.lowercased() }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    }

    /// Throws a problem if the request must be refused. Returns the request's origin if it is foreign but allowed, because the answer must then
    /// contain this origin; otherwise nil.
    func admit(_ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard fields.hosts.count == 1 else {
            throw Problem(.malformedRequest, fields.hosts.isEmpty ? "The Host field is missing." : "There is more than one Host field.")
        }
        // A request with two lengths of the body is refused. A proxy could use one of them and this server the other, so that an attacker could hide
        // a second request in the body (request smuggling).
        guard fields.contentLengths <= 1, !(fields.contentLengths == 1 && fields.hasTransferEncoding) else {
            throw Problem(.malformedRequest, "The request gives the length of its body twice.")
        }
        guard fields.origins.count <= 1, fields.contentTypes.count <= 1, fields.fetchSites.count <= 1, fields.fetchModes.count <= 1 else {
            throw Problem(.malformedRequest, "The request has more than one Origin, Content-Type, Sec-Fetch-Site or Sec-Fetch-Mode field.")
        }
        try checkHost(fields.hosts[0])
        // Most proxies replace the name in `Host` with their own, so `Host` does not show that a proxy sends the request for another client. Only the
        // forwarding fields do.
        if fields.isForwarded, !admitsForwarded {
            throw Problem(
                .forbiddenHost,
                "A proxy forwarded the request. Start the server with --allow-host or --token-file, so that it requires a token, or with --no-auth."
            )
        }

        let origin = fields.origins.first?.lowercased()
        if let origin {
            if isOwn(origin, host: fields.hosts[0]) {
                // This server has served the page. The request must still pass the check of `Sec-Fetch-Site` below.
            } else if allowedOrigins.contains(origin) {
                return fields.origins[0]
            } else {
                throw forbidden(origin, fields)
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

    /// Whether a host name means the local machine itself: `localhost`, a name below it (RFC 6761, section 6.3), or a loopback address.
    public static func isLocal(_ host: String) -> Bool {
        guard let host = HostName(host) else { return false }
        return host.name == "localhost" || host.name.hasSuffix(".localhost") || host.isLoopback
    }

    /// Whether an origin (`http://localhost:8123`) is on the local machine.
    public static func isLocalOrigin(_ origin: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: origin.lowercased().hasPrefix) else { return false }
        let authority = origin.dropFirst(scheme.count)
        return isLocal(String(authority.hasSuffix("/") ? authority.dropLast() : authority))
    }

    /// Returns the hosts and origins in the two lists that are not on the local machine.
    public static func outside(hosts: [String], origins: [String]) -> [String] {
        hosts.filter { !isLocal($0) } + origins.filter { !isLocalOrigin($0) }
    }

    /// Returns the client that counts as the sender of a request: the client that a trusted proxy names; otherwise the peer of the connection. If a
    /// proxy on this machine may have forwarded the request, the sender does not count as a client of this machine.
    func sender(_ request: HTTPRequest, _ fields: RequestFields) -> HTTPPeer {
        var peer = request.peer
        if !fields.forwardedFor.isEmpty, let client = trustedProxies.client(of: peer, fields.forwardedFor) { return client }
        if peer.isLoopback, allowsForeignNames || fields.isForwarded { peer.isLoopback = false }
        return peer
    }

    private func checkHost(_ field: String) throws(Problem) {
        guard let host = HostName(field) else { throw Problem(.malformedRequest, "The Host field is malformed.") }
        guard host.isAddress || host.name == "localhost" || allowedHosts.contains(host.name) else {
            throw Problem(.forbiddenHost, "Start the server with --allow-host \(host.name) to allow this name.")
        }
    }

    /// Returns the refusal of a foreign origin, with the option that would permit it. If a proxy has forwarded the request, the page may be the
    /// server's own: it looks foreign if the proxy replaces `Host`.
    private func forbidden(_ origin: String, _ fields: RequestFields) -> Problem {
        guard let host = Self.host(ofOrigin: origin) else {
            return Problem(.forbiddenOrigin, "The server does not accept pages of this origin. --allow-origin accepts http and https origins only.")
        }
        let remedy = "Start the server with --allow-origin \(origin) to allow pages of this origin."
        guard fields.isForwarded else { return Problem(.forbiddenOrigin, remedy) }
        return Problem(
            .forbiddenOrigin,
            "If this is the page of this server, the proxy must pass on Host unchanged, with its port, and the server needs --allow-host \(host). "
                + "Otherwise: \(remedy)")
    }

    /// Returns the name of the host in an http or https origin; nil if the text is not such an origin.
    private static func host(ofOrigin origin: String) -> String? {
        guard origin.utf8.count <= 300, let scheme = ["https://", "http://"].first(where: { origin.utf8.starts(with: $0.utf8) }) else { return nil }
        return HostName(String(Substring(origin.utf8.dropFirst(scheme.utf8.count))))?.name
    }

    private func isOwn(_ origin: String, host: String) -> Bool {
        // If a proxy decrypts TLS, the scheme of the page is https.
        origin == "http://" + host.lowercased() || origin == "https://" + host.lowercased()
    }

    /// Whether a browser requests the page because a user opens its address or a link to it. This is permitted even if the link is on another site.
    private func isNavigationToPage(_ request: HTTPRequest, _ fields: RequestFields) -> Bool {
        request.path == "/" && (request.method == "GET" || request.method == "HEAD") && fields.fetchModes == ["navigate"] && fields.origins.isEmpty
    }

    // MARK: CORS

    /// The names of the answer fields that a page of another origin may read: all fields that openapi.yaml mentions, except the fields that CORS
    /// always exposes (Cache-Control, Content-Type and so on).
    private static let exposedFields = "ETag, Location, Allow, Retry-After, Idempotency-Replayed, Accept-Ranges, Content-Range, WWW-Authenticate"
    /// The names of the request fields that a page of another origin may send: all fields that openapi.yaml mentions.
    private static let allowedFields =
        "Content-Type, If-Match, If-None-Match, Range, If-Range, Last-Event-ID, Tonearm-Client, Idempotency-Key, Authorization"

    /// Adds the header fields that permit a page of the foreign origin `origin` to read the answer, and replaces the resource policy. The caller has
    /// checked that the origin is allowed; if `origin` is nil, only `Vary` is added.
    func open(_ response: inout HTTPResponse, to origin: String?) {
        guard !allowedOrigins.isEmpty else { return }
        // Some answers depend on the origin.
        response.headers.append(("Vary", "Origin"))
        guard let origin else { return }
        response.headers.append(("Access-Control-Allow-Origin", origin))
        // The usual resource policy is `same-origin`. With it, a page that isolates itself (Cross-Origin-Embedder-Policy) could not show pictures of
        // this server.
        for index in response.headers.indices where response.headers[index].name.utf8.equalsIgnoringCase("cross-origin-resource-policy") {
            response.headers[index].value = "cross-origin"
        }
        response.headers.append(("Access-Control-Expose-Headers", Self.exposedFields))
    }

    /// Returns the answer to a preflight (an OPTIONS request with `Access-Control-Request-Method`) from an allowed origin.
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
