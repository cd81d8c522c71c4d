import Platform

/// Decides by the host that a request names, and by the web page that sent it, whether it is accepted at all (SECURITY.md).
///
/// A browser sends requests for any page. Three fields that a page cannot forge show a foreign one: `Host` with a foreign name (DNS rebinding) or an
/// address to which browsers send less, `Origin`, and `Sec-Fetch-Site` for requests without `Origin`, such as images.
public struct RequestGuard: Sendable {
    /// The hosts that are allowed in addition to addresses and `localhost`; in lower case, without port.
    public let allowedHosts: Set<String>
    /// The origins that are allowed in addition to the server's own, in the form that browsers send (`https://example.com`).
    public let allowedOrigins: Set<String>
    /// Whether a name or origin of another machine is allowed. A proxy on this machine may then forward requests of others, so a client with a
    /// loopback address does not count as local.
    public let allowsForeignNames: Bool
    /// Whether requests that a proxy has forwarded are admitted. False without a token, unless the user wants it (`--no-auth`): the proxy could
    /// give everyone access.
    public var admitsForwarded = true
    /// The proxies whose `X-Forwarded-For` is believed.
    public var trustedProxies = TrustedProxies()

    public init(allowedHosts: [String] = [], allowedOrigins: [String] = []) {
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
        allowsForeignNames = !Self.outside(hosts: allowedHosts, origins: allowedOrigins).isEmpty
        self.allowedOrigins = Set(allowedOrigins.map { $0.lowercased() }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    }

    /// Checks a request. Returns its origin if it is foreign but allowed, because the answer must then contain it.
    func admit(_ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard fields.hosts.count == 1 else {
            throw Problem(.malformedRequest, fields.hosts.isEmpty ? "The Host field is missing." : "There is more than one Host field.")
        }
        // With two lengths, an attacker could hide a second request in the body (request smuggling).
        guard fields.contentLengths <= 1, !(fields.contentLengths == 1 && fields.hasTransferEncoding) else {
            throw Problem(.malformedRequest, "The request gives the length of its body twice.")
        }
        guard fields.origins.count <= 1, fields.contentTypes.count <= 1, fields.fetchSites.count <= 1, fields.fetchModes.count <= 1 else {
            throw Problem(.malformedRequest, "The request has more than one Origin, Content-Type, Sec-Fetch-Site or Sec-Fetch-Mode field.")
        }
        try checkHost(fields.hosts[0], isLocal: request.peer.isLoopback)
        // Most proxies replace `Host`, so only the forwarding fields show that there is a proxy.
        if fields.isForwarded, !admitsForwarded {
            throw Problem(
                .forbiddenHost,
                "A proxy forwarded the request. Start the server with --allow-host or --token-file, so that it requires a token, or with --no-auth."
            )
        }

        let origin = fields.origins.first?.lowercased()
        if let origin {
            if isOwn(origin, host: fields.hosts[0]) {
                // The check of `Sec-Fetch-Site` below still applies.
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

    /// Whether a host is `localhost`, a name below it (RFC 6761, section 6.3), or a loopback address.
    public static func isLocal(_ host: String) -> Bool {
        guard let host = HostField(host) else { return false }
        return host.name == "localhost" || host.name.hasSuffix(".localhost") || host.isLoopback
    }

    /// Whether an origin, such as `http://localhost:8123`, is local.
    public static func isLocalOrigin(_ origin: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: origin.lowercased().hasPrefix) else { return false }
        let authority = origin.dropFirst(scheme.count)
        return isLocal(String(authority.hasSuffix("/") ? authority.dropLast() : authority))
    }

    /// The hosts and origins that are not on the local machine.
    public static func outside(hosts: [String], origins: [String]) -> [String] {
        hosts.filter { !isLocal($0) } + origins.filter { !isLocalOrigin($0) }
    }

    /// The client that a trusted proxy names; otherwise the peer, which is not local if a proxy on this machine may have forwarded the request.
    func sender(_ request: HTTPRequest, _ fields: RequestFields) -> HTTPPeer {
        var peer = request.peer
        if !fields.forwardedFor.isEmpty, let client = trustedProxies.client(of: peer, fields.forwardedFor) { return client }
        if peer.isLoopback, allowsForeignNames || fields.isForwarded { peer.isLoopback = false }
        return peer
    }

    /// Checks the host. A local client needs no token, so its browser must be one that says which page sent a request. Browsers say so
    /// (`Sec-Fetch-Site`) to `localhost` and loopback addresses, and not to other ways to this machine, such as `0.0.0.0` and `[::ffff:127.0.0.1]`
    /// (Secure Contexts, section 3.1).
    private func checkHost(_ field: String, isLocal: Bool) throws(Problem) {
        guard let host = HostField(field) else { throw Problem(.malformedRequest, "The Host field is malformed.") }
        if isLocal, host.isAddress, !host.isLoopback, !allowedHosts.contains(host.name) {
            throw Problem(.forbiddenHost, "\(host.name) is not a loopback address. Use http://127.0.0.1\(host.port.map { ":\($0)" } ?? "") instead.")
        }
        guard host.isAddress || host.name == "localhost" || allowedHosts.contains(host.name) else {
            throw Problem(.forbiddenHost, "Start the server with --allow-host \(host.name) to allow this name.")
        }
    }

    /// The problem of a foreign origin, with the option that would permit it. Behind a proxy, the page may be the server's own, which looks foreign
    /// if `Host` was replaced.
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

    /// The host of an origin; nil if the text is no http or https origin.
    private static func host(ofOrigin origin: String) -> String? {
        guard origin.utf8.count <= 300, let scheme = ["https://", "http://"].first(where: { origin.utf8.starts(with: $0.utf8) }) else { return nil }
        return HostField(String(Substring(origin.utf8.dropFirst(scheme.utf8.count))))?.name
    }

    private func isOwn(_ origin: String, host: String) -> Bool {
        // Behind a proxy that decrypts TLS, the scheme of the page is https.
        origin == "http://" + host.lowercased() || origin == "https://" + host.lowercased()
    }

    /// Whether the user opens the page's address or a link to it, which may be on another site.
    private func isNavigationToPage(_ request: HTTPRequest, _ fields: RequestFields) -> Bool {
        request.path == "/" && (request.method == "GET" || request.method == "HEAD") && fields.fetchModes == ["navigate"] && fields.origins.isEmpty
    }

    // MARK: CORS

    /// Answer fields that a page of another origin may read: those in openapi.yaml that CORS does not always expose.
    private static let exposedFields = "ETag, Location, Allow, Retry-After, Idempotency-Replayed, WWW-Authenticate"
    /// Request fields that a page of another origin may send: all in openapi.yaml.
    private static let allowedFields =
        "Content-Type, If-Match, If-None-Match, Last-Event-ID, Tonearm-Client, Tonearm-Not-After, Idempotency-Key, Authorization"

    /// Permits a page of the foreign origin, which was checked, to read the answer. If `origin` is nil, only `Vary` is added.
    func open(_ response: inout HTTPResponse, to origin: String?) {
        guard !allowedOrigins.isEmpty else { return }
        response.headers.append(("Vary", "Origin"))
        guard let origin else { return }
        response.headers.append(("Access-Control-Allow-Origin", origin))
        // With `same-origin`, an isolated page (Cross-Origin-Embedder-Policy) could not show pictures of this server.
        for index in response.headers.indices where response.headers[index].name.utf8.equalsIgnoringCase("cross-origin-resource-policy") {
            response.headers[index].value = "cross-origin"
        }
        response.headers.append(("Access-Control-Expose-Headers", Self.exposedFields))
    }

    /// The answer to an OPTIONS request with `Access-Control-Request-Method` from an allowed origin.
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
