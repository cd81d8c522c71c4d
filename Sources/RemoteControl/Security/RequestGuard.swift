/// Decides whether a request may be looked at: who it says it is for, and which page sent it (remote-api.md, "Safe on a LAN").
///
/// A browser sends requests for any page that its user visits. Three fields, which a page cannot forge, tell them apart: `Host` (a foreign name
/// means DNS rebinding), `Origin` (a foreign page) and `Sec-Fetch-Site` (a foreign page whose request carries no origin, such as an image).
public struct RequestGuard: Sendable {
    /// Names besides addresses and `localhost` to which the server answers; in lower case, without port.
    public let allowedHosts: Set<String>
    /// Origins besides the server's own whose pages may use the API, as a browser writes them (`https://example.com`).
    public let allowedOrigins: Set<String>
    /// Whether a name or an origin is allowed that is not one of this machine's own (`isLocal`): then clients of other machines may come by way of a proxy
    /// on this one, and whoever connects from loopback is not taken for a client of this machine.
    public let namesOutside: Bool
    /// Whether a proxy on this machine may pass on what others send, though the server asks for no token.
    public var admitsForwarded = true

    public init(allowedHosts: [String] = [], allowedOrigins: [String] = []) {
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
        namesOutside = !Self.outside(hosts: allowedHosts, origins: allowedOrigins).isEmpty
        self.allowedOrigins = Set(allowedOrigins.map { $0.lowercased() }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    }

    /// Throws where the request must not be answered otherwise. The origin is returned where it is another, allowed one, which the answer must name.
    func admit(_ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard fields.hosts.count == 1 else {
            throw Problem(.malformedRequest, fields.hosts.isEmpty ? "The Host field is missing." : "There is more than one Host field.")
        }
        // What a proxy before us and we could read differently is how requests are smuggled.
        guard fields.contentLengths <= 1, !(fields.contentLengths == 1 && fields.hasTransferEncoding) else {
            throw Problem(.malformedRequest, "The length of the body is given twice.")
        }
        guard fields.origins.count <= 1, fields.contentTypes.count <= 1, fields.fetchSites.count <= 1, fields.fetchModes.count <= 1 else {
            throw Problem(.malformedRequest, "A header field is given twice.")
        }
        try checkHost(fields.hosts[0])
        // Most proxies put their own name for the server into Host: only this tells that somebody else has sent the request.
        if fields.isForwarded, !admitsForwarded, !request.peer.isProgram {
            throw Problem(
                .forbiddenHost,
                "A proxy has passed this request on. Start the server with --allow-host or --token-file, so that it asks for a token, or with --no-auth."
            )
        }

        let origin = fields.origins.first?.lowercased()
        if let origin {
            if isOwn(origin, host: fields.hosts[0]) {
                // A page that is served here; fetch metadata must agree.
            } else if allowedOrigins.contains(origin) {
                return fields.origins[0]
            } else {
                throw Problem(.forbiddenOrigin, "Start the server with --allow-origin to let pages of that origin use it.")
            }
        }
        switch fields.fetchSites.first {
        case nil, "same-origin", "none": return nil
        default:
            guard isNavigationToPage(request, fields) else {
                throw Problem(.crossSite, "A page of another site made this request.")
            }
            return nil
        }
    }

    /// Whether a host name leads to this machine wherever it is used: `localhost`, a name below it (RFC 6761, section 6.3), or a loopback address.
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

    /// Those of some hosts and origins that are not this machine's own.
    public static func outside(hosts: [String], origins: [String]) -> [String] {
        hosts.filter { !isLocal($0) } + origins.filter { !isLocalOrigin($0) }
    }

    /// Who is to be held for the sender of a request: not a client of this machine where a proxy on it may speak for others.
    func sender(_ request: HTTPRequest, _ fields: RequestFields) -> HTTPPeer {
        var peer = request.peer
        if peer.isLoopback, !peer.isProgram, namesOutside || fields.isForwarded { peer.isLoopback = false }
        return peer
    }

    private func checkHost(_ field: String) throws(Problem) {
        guard let host = HostName(field) else { throw Problem(.malformedRequest, "The Host field is malformed.") }
        guard host.isAddress || host.name == "localhost" || allowedHosts.contains(host.name) else {
            throw Problem(.forbiddenHost, "Start the server with --allow-host to let it answer to this name.")
        }
    }

    private func isOwn(_ origin: String, host: String) -> Bool {
        // Behind a proxy that ends TLS the page's scheme is https.
        origin == "http://" + host.lowercased() || origin == "https://" + host.lowercased()
    }

    private func isNavigationToPage(_ request: HTTPRequest, _ fields: RequestFields) -> Bool {
        request.path == "/" && (request.method == "GET" || request.method == "HEAD") && fields.fetchModes == ["navigate"] && fields.origins.isEmpty
    }

    // MARK: CORS

    /// What every answer has where its others depend on the origin.
    var answerFields: [(name: String, value: String)] { allowedOrigins.isEmpty ? [] : [("Vary", "Origin")] }

    /// What a page may read of an answer besides what every page may (Cache-Control, Content-Type and their like): all that openapi.yaml tells of.
    private static let exposedFields = "ETag, Location, Allow, Retry-After, Idempotency-Replayed, Accept-Ranges, Content-Range, WWW-Authenticate"
    /// What a page may send: all that openapi.yaml tells of.
    private static let allowedFields =
        "Content-Type, If-Match, If-None-Match, Range, If-Range, Last-Event-ID, Tonearm-Client, Idempotency-Key, Authorization"

    /// Adds what lets the page of an allowed origin read the answer.
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
