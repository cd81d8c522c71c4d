import Platform
import Synchronization

enum Credential: Equatable, Sendable {
    case token(String)
    /// The cookie of a browser; each browser has one of its own.
    case cookie(String)
}

/// Decides by its token or cookie whether a request may use the API (SECURITY.md).
///
/// A program sends the token in `Authorization: Bearer` (RFC 6750). A browser exchanges it for a cookie, so that an image, an EventSource and a
/// WebSocket need no secret in their URL. No script can read the cookie, and a browser does not send it with the requests of another site.
final class AccessGuard: Sendable {
    /// The tokens, any one of which authorises a client. If empty, every client may use the API.
    private let tokens: [AccessToken]
    private let clock: any HostClock
    /// The clock of the date, because a cookie stays valid after the server restarts.
    private let wallClock: any WallClock
    let limiter = FailureLimiter()

    init(tokens: [AccessToken], clock: any HostClock, wallClock: any WallClock) {
        self.tokens = tokens
        self.clock = clock
        self.wallClock = wallClock
    }

    var needsToken: Bool { !tokens.isEmpty }

    /// Checks the token or cookie of a request, and returns it; nil if the server needs none.
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
        // An expired cookie is no attempt to guess. All wrong cookies of one request count as one failure.
        if !verdicts.contains(where: { $0 == .expired }) { problem = failure(from: request.peer) }
        // The answer deletes the cookie: otherwise each further request of the browser would count as another failure.
        if problem.code == .unauthorized { problem.cookie = Self.cookie(name, value: "", age: 0, isSecure: false) }
        throw problem
    }

    /// Exchanges a token for the value of a `Set-Cookie` field; nil if the server needs no token.
    func trade(_ token: String, _ request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> String? {
        guard needsToken else { return nil }
        let token = try check(token, from: request.peer)
        let isSecure = fields.origins.first?.lowercased().hasPrefix("https://") == true
        let name = Self.cookieName(fields)
        let value = SessionCookie.make(token, name: name, now: wallClock.secondsSince1970)
        return Self.cookie(name, value: value, age: SessionCookie.lifetime, isSecure: isSecure)
    }

    /// A `Set-Cookie` field that deletes the cookie.
    func expiredCookie(_ fields: RequestFields) -> String { Self.cookie(Self.cookieName(fields), value: "", age: 0, isSecure: false) }

    // MARK: Parts

    /// Checks a token. A valid one is accepted regardless of the failures from its network.
    @discardableResult private func check(_ candidate: String, from peer: HTTPPeer) throws(Problem) -> AccessToken {
        let candidate = Array(candidate.utf8)
        // All tokens are compared, so that the duration does not reveal which is equal.
        let found = tokens.reduce(nil as AccessToken?) { found, token in candidate.withUnsafeBytes(token.matches) ? token : found }
        guard let found else { throw failure(from: peer) }
        return found
    }

    /// Counts a failure of the client, and returns its problem.
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

    /// The name of the cookie, with the port, because browsers share cookies between all ports of a host.
    private static func cookieName(_ fields: RequestFields) -> String {
        "tonearm-\(fields.hosts.first.flatMap(HostField.init)?.port ?? 80)"
    }

    /// The values of the cookies with a name (RFC 6265, section 5.4). A server on another port of the host, or another page of it, can set any number
    /// of them, so all are tried.
    private static func cookies(_ fields: [String], named name: String) -> [String] {
        fields.flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == name && !parts[1].isEmpty ? String(parts[1]) : nil
        }
    }

    private static func cookie(_ name: String, value: String, age: Int, isSecure: Bool) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}

/// Slows down the guessing of tokens: after `burst` wrong tokens a network (`HTTPPeer.network`) must wait before its next attempt. A valid token is
/// always accepted: otherwise a foreign page, which can make the user's browser send wrong tokens, could lock the user out.
///
/// Each failure adds `interval` seconds to a debt that decreases with time; above `burst` - 1 intervals the network must wait. Only the host time at
/// which the debt ends is stored.
final class FailureLimiter: Sendable {
    static let burst = 10
    /// The debt that each failure adds, in seconds.
    static let interval = 6.0
    /// The greatest number of networks with a debt. If more fail, the one with the smallest debt is forgotten.
    static let capacity = 1024

    private let debts = Mutex<[String: HostTime]>([:])

    var addressCount: Int { debts.withLock { $0.count } }

    /// The time until the next permitted attempt, in seconds; nil if one is permitted now.
    func delay(of peer: HTTPPeer, at now: HostTime) -> Double? {
        let key = peer.network
        let delay = debts.withLock { debts -> Double? in
            guard let debt = debts[key] else { return nil }
            guard debt > now else {
                debts[key] = nil
                return nil
            }
            return debt - now - Self.interval * Double(Self.burst - 1)
        }
        return delay.flatMap { $0 > 0 ? $0 : nil }
    }

    func noteFailure(of peer: HTTPPeer, at now: HostTime) {
        let key = peer.network
        debts.withLock { debts in
            if debts[key] == nil, debts.count >= Self.capacity {
                debts = debts.filter { $0.value > now }
                if debts.count >= Self.capacity, let least = debts.min(by: { $0.value < $1.value }) { debts[least.key] = nil }
            }
            debts[key] = max(debts[key] ?? now, now) + Self.interval
        }
    }
}
