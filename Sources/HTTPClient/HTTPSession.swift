import Platform
import PlaybackEngine

/// The connections of one medium to its servers: requests, redirects, and the connection that is kept for the next request.
final class HTTPSession {
    private let request: HTTPRequest
    private var policy: AddressPolicy
    private let proxies: ProxyRules
    private let credentials: TLSSession.Credentials
    let meter: TransferMeter?
    private let interrupt: Interrupt
    private let clock: any HostClock
    /// Receives the address that has answered; nil if nothing uses it.
    private let answering: AnsweringAddress?
    private var cookies = CookieJar()
    /// The URL to which the original URL was redirected last; the original URL itself before a redirect.
    private var url: RemoteURL
    /// The connection of the last request to `url`, if the server keeps it open; nil otherwise.
    private var kept: Connection?
    /// The connection over which a request was sent whose response has not begun, because an interrupt ended the wait; nil if there is none.
    private var unanswered: Connection?
    /// The offset in the medium of the first byte that the last request asked for.
    private var requested: Int64 = 0
    /// Whether a transfer has failed since the last response, so that the next request goes to the original address over a new connection.
    private(set) var hasFailed = false
    /// The time that it took to open the last connection, in seconds. Nil if that connection has TLS, or if there was none.
    private(set) var connectingTime: Double?

    /// The log for the titles of a radio station; nil if nothing uses them.
    var titles: TimedMetadataLog? { request.titles }

    /// The time after which a connection attempt fails, from the look-up of the server's name to the end of the response's head, in seconds.
    static let attemptLimit = 15.0
    private static let redirectLimit = 8
    static let interimLimit = 16

    init(
        _ request: HTTPRequest, policy: AddressPolicy, proxies: ProxyRules = .system, credentials: TLSSession.Credentials = .system,
        meter: TransferMeter?, interrupt: Interrupt, clock: any HostClock, answering: AnsweringAddress? = nil
    ) {
        self.request = request
        self.answering = answering
        self.policy = policy
        self.proxies = proxies
        self.credentials = credentials
        self.meter = meter
        self.interrupt = interrupt
        self.clock = clock
        url = request.origin
    }

    /// Closes the connection, and returns to the original URL, because the last request has failed, or the address may have expired.
    func forget() {
        close()
        url = request.origin
    }

    /// Closes the connection of the last request.
    func close() { (kept, unanswered) = (nil, nil) }

    /// Records that the last request or response has failed.
    func noteFailure() { hasFailed = true }

    /// Whether the last request was sent, and its response has not begun.
    var isUnanswered: Bool { unanswered != nil }

    /// Waits for the response to the request that an interrupt has left unanswered. `start` is the offset of the first byte that the request asked
    /// for. Throws `connectionLost` if there is no such request, if the connection ends without a response, or if the response is a redirect.
    func finish() throws(PlaybackError) -> (reply: HTTPReply, body: HTTPBody, start: Int64) {
        guard let connection = unanswered else { throw .connectionLost }
        unanswered = nil
        connection.setDeadline(clock.now + HTTPSession.attemptLimit)
        guard let (reply, rest) = try readHead(connection), !reply.isRedirect else { throw .connectionLost }
        cookies.keep(reply, from: url)
        kept = reply.keepsConnection ? connection : nil
        hasFailed = false
        return (reply, HTTPBody(connection, reply, pending: rest), requested)
    }

    /// Reads the head of a response. If an interrupt ends the wait before the first byte, the response can be waited for later (`finish`).
    private func readHead(_ connection: Connection) throws(PlaybackError) -> (reply: HTTPReply, rest: [UInt8])? {
        var hasBegun = false
        do throws(PlaybackError) {
            return try HTTPHead.read { count throws(PlaybackError) in
                let bytes = try connection.read(upTo: count)
                hasBegun = true
                return bytes
            }
        } catch {
            if error.code == .cancelled, !hasBegun { unanswered = connection }
            throw error
        }
    }

    /// Sends a request, follows redirects up to their limit, and returns the head of the response with its body. The connection of the preceding
    /// request is used again if its response was read completely and the server keeps it open. All of this takes at most `HTTPSession.attemptLimit`.
    ///
    /// - Parameter start: The offset of the first requested byte, which `finish` returns if an interrupt ends the wait for the response.
    func ask(from start: Int64, range: String, validator: String?) throws(PlaybackError) -> (reply: HTTPReply, body: HTTPBody) {
        requested = start
        let deadline = clock.now + HTTPSession.attemptLimit
        for _ in 0...HTTPSession.redirectLimit {
            if interrupt.isRaised { throw .cancelled }
            let proxy = try proxies.proxy(for: url)
            let bytes = request.bytes(
                to: url, range: range, validator: validator, proxy: url.isSecure ? nil : proxy, serverCookies: cookies.field(for: url))
            let (connection, reply, rest) = try exchange(bytes, proxy, deadline)
            if let proxy, !url.isSecure, reply.status == 407 {
                throw proxy.authenticationRequired(PlaybackError.Underlying(domain: "HTTP", code: 407, message: "status 407"))
            }
            cookies.keep(reply, from: url)
            if reply.isRedirect, let location = reply.location {
                let next = try url.redirected(to: location)
                if url.isSecure, !next.isSecure {
                    throw PlaybackError(.addressNotAllowed, "The server redirects from https to http, which is not allowed.")
                }
                url = next
                kept = nil
                continue
            }
            kept = reply.keepsConnection ? connection : nil
            hasFailed = false
            let credentials = url.hasSameOrigin(as: request.origin) ? request.origin.credentials : url.credentials
            answering?.set(
                AnsweringAddress.Value(
                    url: url.text(credentials: credentials), isPublic: policy.wasPublic, contentType: reply["content-type"]))
            return (reply, HTTPBody(connection, reply, pending: rest))
        }
        throw PlaybackError(.network, "The server redirects too often.", reason: .tooManyRedirects)
    }

    /// Sends the bytes of a request, and reads the head of the response.
    private func exchange(
        _ bytes: [UInt8], _ proxy: HTTPProxy?, _ deadline: HostTime
    ) throws(PlaybackError) -> (Connection, HTTPReply, [UInt8]) {
        let idle = kept
        // After an error, the rest of a response may arrive on the connection, so it is not used again.
        kept = nil
        if let connection = idle, !connection.isStale {
            // A server may close an idle connection at any time. Then the request is sent again over a new connection.
            connection.setDeadline(deadline)
            do throws(PlaybackError) {
                try connection.write(bytes)
                if let (reply, rest) = try readHead(connection) {
                    meter?.countRequest()
                    return (connection, reply, rest)
                }
            } catch {
                guard RetryPolicy.Failure(error) == .unreachable, error != .silent, !interrupt.isRaised else { throw error }
            }
        }
        let addresses = try addresses(proxy, until: deadline)
        let began = clock.now
        let connection = try Connection(
            url, addresses: addresses, proxy: proxy, interrupt: interrupt, credentials: credentials, deadline: deadline)
        connectingTime = url.isSecure ? nil : clock.now - began
        meter?.countRequest(to: connection.address?.text ?? url.host)
        do throws(PlaybackError) {
            try connection.write(bytes)
            guard let (reply, rest) = try readHead(connection) else { throw PlaybackError.connectionLost }
            return (connection, reply, rest)
        } catch {
            throw error == .silent ? .late : error
        }
    }

    /// Returns the addresses for the next connection, after a check of the server's address. The operator has named the proxy, so its address is
    /// always permitted.
    private func addresses(_ proxy: HTTPProxy?, until deadline: HostTime) throws(PlaybackError) -> [NetworkAddress] {
        if proxy != nil { try policy.admit(host: url.host) }
        let left = max(0, deadline - clock.now)
        let found: [NetworkAddress]
        do throws(PlaybackError) {
            found = try Resolver.resolve(proxy?.host ?? url.host, interrupt: interrupt, patience: left)
        } catch { throw proxy?.unreachable(error) ?? error }
        if proxy == nil { try policy.admit(found) }
        return found
    }
}

extension PlaybackError {
    /// The error of a server that has not sent the head of its response in time.
    fileprivate static let late = PlaybackError(
        .network, "The server did not respond in time.", reason: .noAnswer, underlying: PlaybackError.silent.underlying)
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
            case (.network, "GnuTLS", let code?): code == TLSSession.invalidCertificate ? .final : .unreachable
            default: .final
            }
    }
}
