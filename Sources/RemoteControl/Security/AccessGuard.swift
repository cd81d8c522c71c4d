import Platform

/// The token or cookie with which a client has proved that it may use the API.
enum Credential: Sendable {
    case token(String)
    /// The value of the cookie for which a browser has exchanged the token. Each browser has a cookie of its own.
    case cookie(String)
}

/// Decides whether a request may use the API, by its token or cookie, if the server needs a token (SECURITY.md). Any thread may
/// use `AccessGuard`.
///
/// A program sends the token in `Authorization: Bearer` (RFC 6750). A browser exchanges it for a cookie, so that an image, an EventSource and a
/// WebSocket need no secret in their URL. No script can read the cookie, and a browser does not send it with the requests of another site.
final class AccessGuard: Sendable {
    /// The accepted tokens; any one of them authorises a client. If the list is empty, every client may use the API.
    private let tokens: [AccessToken]
    private let clock: any HostClock
    /// The clock that decides whether a cookie has expired. It gives the date and not the host time, because a cookie stays valid after the server
    /// restarts.
    private let wallClock: any WallClock
    let limiter = FailureLimiter()

    init(tokens: [AccessToken], clock: any HostClock, wallClock: any WallClock) {
        self.tokens = tokens
        self.clock = clock
        self.wallClock = wallClock
    }

    /// Whether clients must send a token.
    var needsToken: Bool { !tokens.isEmpty }

    /// Returns the valid token or cookie of a request; nil if the server needs no token. Throws if the request has no valid token or cookie.
    func admit(_ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> Credential? {
        guard needsToken else { return nil }
        guard fields.authorizations.count <= 1 else { throw Problem(.malformedRequest, "The request has more than one Authorization field.") }
        if let authorization = fields.authorizations.first {
            guard let token = Self.bearer(authorization) else { throw Self.missing }
            try check(token, from: request.peer)
            return .token(token)
        }
        let name = Self.cookieName(fields)
        let cookies = Self.cookies(fields.cookies, named: name)
        guard !cookies.isEmpty else { throw Self.missing }
        let now = wallClock.secondsSince1970
        let verdicts = cookies.map { SessionCookie.check($0, tokens, name: name, now: now) }
        if let good = verdicts.firstIndex(where: { $0 == .good }) { return .cookie(cookies[good]) }
        var problem = Self.missing
        // An expired cookie was valid once, so it is no attempt to guess. All wrong cookies of one request count as one failure.
        if !verdicts.contains(where: { $0 == .expired }) { problem = failure(from: request.peer) }
        // The refused cookie is deleted in the browser. Otherwise each further request of the browser would count as another failure.
        if problem.code == .unauthorized { problem.cookie = Self.cookie(name, value: "", age: 0, isSecure: false) }
        throw problem
    }

    /// Exchanges a token for a cookie, and returns the value of the `Set-Cookie` field; nil if the server needs no token. Throws if the token is
    /// wrong.
    func trade(_ token: String, _ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard needsToken else { return nil }
        let token = try check(token, from: request.peer)
        let isSecure = fields.origins.first?.lowercased().hasPrefix("https://") == true
        let name = Self.cookieName(fields)
        let value = SessionCookie.make(token, name: name, now: wallClock.secondsSince1970)
        return Self.cookie(name, value: value, age: SessionCookie.lifetime, isSecure: isSecure)
    }

    /// Returns the value of a `Set-Cookie` field that deletes the session cookie in the browser.
    func expiredCookie(_ fields: RequestFields) -> String { Self.cookie(Self.cookieName(fields), value: "", age: 0, isSecure: false) }

    // MARK: Parts

    /// Returns the accepted token that equals `candidate`. A valid token is accepted regardless of the number of failures from the same network.
    @discardableResult private func check(_ candidate: String, from peer: HTTPPeer) throws(Problem) -> AccessToken {
        let candidate = Array(candidate.utf8)
        // All tokens are compared, so that the duration does not reveal which token is equal.
        let found = tokens.reduce(nil as AccessToken?) { found, token in candidate.withUnsafeBytes(token.matches) ? token : found }
        guard let found else { throw failure(from: peer) }
        return found
    }

    /// Counts a wrong token or cookie of a client, and returns the problem with which the request is answered.
    private func failure(from peer: HTTPPeer) -> Problem {
        let now = clock.now
        if let delay = limiter.delay(of: peer, at: now) {
            var problem = Problem(.tooManyFailures, "This address has sent too many wrong tokens. Wait before the next attempt.")
            problem.retryAfter = max(1, Int(delay.rounded(.up)))
            return problem
        }
        limiter.noteFailure(of: peer, at: now)
        var problem = Problem(.unauthorized, "The token is wrong or no longer valid.")
        problem.challenge = "Bearer realm=\"Tonearm\", error=\"invalid_token\""
        return problem
    }

    private static var missing: Problem {
        var problem = Problem(.unauthorized, "Send \"Authorization: Bearer\" with the token of this server.")
        problem.challenge = "Bearer realm=\"Tonearm\""
        return problem
    }

    private static func bearer(_ field: String) -> String? {
        let scheme = "bearer "
        guard field.utf8.count > scheme.utf8.count, field.prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(field.dropFirst(scheme.count).drop { $0 == " " })
    }

    /// Returns the name of the session cookie, which contains the port. Browsers share cookies between all ports of a host, and two servers on one
    /// machine must not overwrite each other's cookies.
    private static func cookieName(_ fields: RequestFields) -> String {
        "tonearm-\(fields.hosts.first.flatMap(HostName.init)?.port ?? 80)"
    }

    /// Returns the values of the cookies called `name` in the `Cookie` fields (RFC 6265, section 5.4), at most four.
    private static func cookies(_ fields: [String], named name: String) -> [String] {
        fields.flatMap { $0.split(separator: ";") }.lazy.compactMap { pair -> String? in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == name && !parts[1].isEmpty ? String(parts[1]) : nil
        }.prefix(4).map { $0 }
    }

    private static func cookie(_ name: String, value: String, age: Int, isSecure: Bool) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}
