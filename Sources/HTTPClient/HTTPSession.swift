import Platform
import PlaybackEngine

/// Sends the requests for one medium, follows their redirects, and checks the addresses to which they lead.
final class HTTPSession {
    private let request: MediumRequest
    private var policy: AddressPolicy
    private let proxies: ProxyRules
    private let trust: TLSTrust
    let meter: TransferMeter?
    private let interrupt: Interrupt
    /// Receives the address that has answered; nil if nothing uses it.
    private let answering: AnsweringAddress?
    private let connections: HTTPConnections
    /// The URL to which the requested URL was redirected last; the requested URL itself before a redirect.
    private var url: RemoteURL
    /// The exchange whose response has not begun, because an interrupt ended the wait; nil if there is none.
    private var unanswered: HTTPExchange?
    /// The offset in the medium of the first byte that the last request asked for.
    private var requested: Int64 = 0
    /// Whether the next request uses a new connection.
    private var isFresh = false
    /// Whether a transfer has failed since the last response, so that the next request goes to the original address over a new connection.
    private(set) var hasFailed = false
    /// The time that it took to open the last connection, in seconds. Nil if that connection has TLS, or if there was none.
    private(set) var connectingTime: Double?

    /// The log for the titles of a radio station; nil if nothing uses them.
    var titles: TimedMetadataLog? { request.titles }

    /// The time after which a request fails, from the look-up of the server's name to the end of the response's head, in seconds.
    static let attemptLimit = 15.0
    private static let redirectLimit = 8

    init(
        _ request: MediumRequest, policy: AddressPolicy, proxies: ProxyRules = .system, trust: TLSTrust = .system, meter: TransferMeter?,
        interrupt: Interrupt, answering: AnsweringAddress? = nil, connections: HTTPConnections? = nil
    ) throws(PlaybackError) {
        self.request = request
        self.answering = answering
        self.policy = policy
        self.proxies = proxies
        self.trust = trust
        self.meter = meter
        self.interrupt = interrupt
        self.connections = if let connections { connections } else { try HTTPConnections() }
        url = request.address
    }

    /// Makes the next request use a new connection to the requested URL, because the last request has failed, or the address may have expired.
    func forget() {
        (unanswered, isFresh) = (nil, true)
        connections.setKnown(nil)
        url = request.address
    }

    /// Records that the last request or response has failed.
    func noteFailure() { hasFailed = true }

    /// Whether the last request was sent, and its response has not begun.
    var isUnanswered: Bool { unanswered != nil }

    /// Waits for the response to the request that an interrupt has left unanswered. `start` is the offset of the first byte that the request asked
    /// for. Throws `connectionLost` if there is no such request, if the connection ends without a response, or if the response is a redirect.
    func finish() throws(PlaybackError) -> (reply: HTTPReply, body: HTTPExchange, start: Int64) {
        guard let exchange = unanswered else { throw .connectionLost }
        unanswered = nil
        exchange.setDeadline(MonotonicClock().now + HTTPSession.attemptLimit)
        let reply = try receiveHead(exchange)
        if reply.isRedirect { throw .connectionLost }
        hasFailed = false
        return (reply, exchange, requested)
    }

    /// Waits for the head of a response. If an interrupt ends the wait before the first byte, the response can be waited for later (`finish`).
    private func receiveHead(_ exchange: HTTPExchange) throws(PlaybackError) -> HTTPReply {
        do throws(PlaybackError) { return try exchange.receiveHead() } catch {
            if error.code == .cancelled, !exchange.hasBegun { unanswered = exchange }
            throw error
        }
    }

    /// Sends a request, follows redirects up to their limit, and returns the head of the response with the exchange, from which its body is read. The
    /// connection of the preceding request is used again if its response was read completely and the server keeps it open. All of this takes at most
    /// `HTTPSession.attemptLimit`.
    ///
    /// - Parameter start: The offset of the first requested byte, which `finish` returns if an interrupt ends the wait for the response.
    func ask(from start: Int64, range: String?, validator: String?) throws(PlaybackError) -> (reply: HTTPReply, body: HTTPExchange) {
        requested = start
        let deadline = MonotonicClock().now + HTTPSession.attemptLimit
        for _ in 0...HTTPSession.redirectLimit {
            if interrupt.isRaised { throw .cancelled }
            let proxy = try proxies.proxy(for: url), addresses = try addresses(proxy, until: deadline)
            let route = HTTPExchange.Route(url: url, proxy: proxy, addresses: addresses, trust: trust, isFresh: isFresh)
            let exchange = try HTTPExchange(
                route, fields: request.fields(to: url, range: range, validator: validator), cookie: request.cookie(for: url),
                connections: connections, interrupt: interrupt, deadline: deadline)
            isFresh = false
            defer { count(exchange) }
            let reply: HTTPReply
            do throws(PlaybackError) { reply = try receiveHead(exchange) } catch {
                if error.code != .cancelled { connections.setKnown(nil) }
                throw error
            }
            if exchange.isNew { connectingTime = url.isSecure ? nil : exchange.connectingTime }
            if let proxy, !url.isSecure, reply.status == 407 {
                throw proxy.authenticationRequired(PlaybackError.Underlying(domain: "HTTP", code: 407, message: "status 407"))
            }
            if reply.isRedirect, let location = reply.location {
                let next = try url.redirected(to: location)
                if url.isSecure, !next.isSecure {
                    throw PlaybackError(.addressNotAllowed, "The server redirects from https to http, which is not allowed.")
                }
                url = next
                continue
            }
            hasFailed = false
            let credentials = url.hasSameOrigin(as: request.origin) ? request.origin.credentials : url.credentials
            answering?.set(
                AnsweringAddress.Value(
                    url: url.text(credentials: credentials), isPublic: policy.wasPublic, contentType: reply["content-type"]))
            return (reply, exchange)
        }
        throw PlaybackError(.network, "The server redirects too often.", reason: .tooManyRedirects)
    }

    private func count(_ exchange: HTTPExchange) {
        guard let address = exchange.address else { return }
        if exchange.isNew { meter?.countRequest(to: address.text) } else { meter?.countRequest() }
    }

    /// Returns the addresses for the next connection, after a check of the server's address. The operator has named the proxy, so its address is
    /// always permitted.
    private func addresses(_ proxy: HTTPProxy?, until deadline: HostTime) throws(PlaybackError) -> [NetworkAddress] {
        if proxy != nil { try policy.admit(host: url.host) }
        let host = proxy?.host ?? url.host, found: [NetworkAddress]
        if let known = connections.known, known.host == host {
            found = known.addresses
        } else {
            // The idle connection is not used, because it may lead to an address that the new look-up does not return.
            isFresh = true
            do throws(PlaybackError) {
                found = try Resolver.resolve(host, interrupt: interrupt, patience: max(0, deadline - MonotonicClock().now))
            } catch { throw proxy?.unreachable(error) ?? error }
        }
        if proxy == nil { try policy.admit(found) }
        connections.setKnown((host, found))
        return found
    }
}

extension PlaybackError {
    /// The error of an address that the policy refuses.
    static let forbiddenAddress = PlaybackError(.addressNotAllowed, "Addresses of private networks are not allowed.")
}

extension RetryPolicy.Failure {
    /// The kind of a failed transfer, from its error. An error without an underlying cause describes an invalid response, so it is final; the
    /// exception is `busy` (no thread was free for the transfer).
    init(_ error: PlaybackError) {
        self =
            switch (error.code, error.underlying?.domain, error.underlying?.code) {
            case (_, "HTTP", let status?): .status(status)
            case (.busy, _, _): .unreachable
            case (.network, "POSIX", let code?): code == NetworkAddress.unknownName ? .unknownName : .unreachable
            case (.network, HTTPFailure.domain, _): error.reason == .secureConnectionFailed ? .unreachable : .final
            default: .final
            }
    }
}
