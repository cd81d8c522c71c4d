import PlaybackEngine

/// Decides whether who asks has shown a token, where one is needed (remote-api.md, "Safe on a LAN"). Any thread.
///
/// A program sends it in `Authorization: Bearer` (RFC 6750). A browser trades it for a cookie that no script can read and no other site can have sent
/// along, so that an image, an EventSource and a WebSocket need no secret in their address.
final class AccessGuard: Sendable {
    /// Any of them will do; none: everybody may use the API.
    private let tokens: [AccessToken]
    private let clock: any HostClock
    /// For how long a cookie is good is told by the date: it outlives the server.
    private let wallClock: any WallClock
    let limiter = FailureLimiter()

    init(tokens: [AccessToken], clock: any HostClock, wallClock: any WallClock) {
        self.tokens = tokens
        self.clock = clock
        self.wallClock = wallClock
    }

    /// Whether a token is needed.
    var isClosed: Bool { !tokens.isEmpty }

    /// Throws where a token is needed and was not shown. True where one was shown.
    func admit(_ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> Bool {
        guard isClosed else { return false }
        guard fields.authorizations.count <= 1 else { throw Problem(.malformedRequest, "A header field is given twice.") }
        if let authorization = fields.authorizations.first {
            guard let token = Self.bearer(authorization) else { throw Self.missing }
            try check(token, from: request.peer)
            return true
        }
        let name = Self.cookieName(fields)
        let cookies = Self.cookies(fields.cookies, named: name)
        guard !cookies.isEmpty else { throw Self.missing }
        let now = wallClock.secondsSince1970
        let verdicts = cookies.map { SessionCookie.check($0, tokens, name: name, now: now) }
        if verdicts.contains(where: { $0 == .good }) { return true }
        var problem = Self.missing
        // One that has ended was right once: nobody guesses. All wrong ones of a request are one failure.
        if !verdicts.contains(where: { $0 == .expired }) { problem = failure(from: request.peer) }
        // A cookie of former times is not shown again, or it would count against its browser each time.
        if problem.code == .unauthorized { problem.cookie = Self.cookie(name, value: "", age: 0, isSecure: false) }
        throw problem
    }

    /// As `admit`, for the bytes of an unpeculiar request; false where `admit` has to look.
    func admits(_ fields: PlainFields) -> Bool {
        guard isClosed else { return true }
        // The cookies' name depends on the port: `admit` knows it.
        guard limiter.isQuiet, let authorization = fields.authorization, authorization.count > 7,
            UnsafeRawBufferPointer(rebasing: authorization[..<7]).equalsIgnoringCase("Bearer ")
        else { return false }
        return matches(UnsafeRawBufferPointer(rebasing: authorization[7...]))
    }

    /// The cookie for which a token is traded; throws where it is a wrong one.
    func trade(_ token: String, _ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard isClosed else { return nil }
        let token = try check(token, from: request.peer)
        let isSecure = fields.origins.first?.lowercased().hasPrefix("https://") == true
        let name = Self.cookieName(fields)
        let value = SessionCookie.make(token, name: name, now: wallClock.secondsSince1970)
        return Self.cookie(name, value: value, age: SessionCookie.lifetime, isSecure: isSecure)
    }

    /// The cookie that takes the place of the one there is, and is over at once.
    func expiredCookie(_ fields: RequestFields) -> String { Self.cookie(Self.cookieName(fields), value: "", age: 0, isSecure: false) }

    // MARK: Parts

    /// The token that was shown; the right one always passes, whoever has failed from the same address before.
    @discardableResult private func check(_ candidate: String, from peer: HTTPPeer) throws(Problem) -> AccessToken {
        let candidate = Array(candidate.utf8)
        // Every token is compared, so that the time does not tell which of them was right.
        let found = tokens.reduce(nil as AccessToken?) { found, token in candidate.withUnsafeBytes(token.matches) ? token : found }
        guard let found else { throw failure(from: peer) }
        return found
    }

    /// Counts a wrong token or cookie: the problem that it is.
    private func failure(from peer: HTTPPeer) -> Problem {
        let now = clock.now
        if let delay = limiter.delay(of: peer, at: now) {
            var problem = Problem(.tooManyFailures, "There were too many wrong tokens from this address.")
            problem.retryAfter = max(1, Int(delay.rounded(.up)))
            return problem
        }
        limiter.noteFailure(of: peer, at: now)
        var problem = Problem(.unauthorized, "This is not the token of this server, or not any more.")
        problem.challenge = "Bearer realm=\"Tonearm\", error=\"invalid_token\""
        return problem
    }

    /// Every token is compared, so that the time does not tell which of them was right.
    private func matches(_ candidate: UnsafeRawBufferPointer) -> Bool { tokens.reduce(false) { $1.matches(candidate) || $0 } }

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

    /// Browsers keep cookies by host, whatever the port: two servers of a machine must not take each other's.
    private static func cookieName(_ fields: RequestFields) -> String {
        "tonearm-\(fields.hosts.first.flatMap(HostName.init)?.port ?? 80)"
    }

    /// The values of the cookies of a name (RFC 6265, section 5.4), at most a few.
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
