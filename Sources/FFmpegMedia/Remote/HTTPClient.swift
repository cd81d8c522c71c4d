import Platform
import PlaybackEngine

/// The connections of one medium to its servers: requests, redirects, and the connection that is kept for the next request.
final class HTTPClient {
    private let request: HTTPRequest
    private var policy: AddressPolicy
    private let meter: TransferMeter?
    private let interrupt: Interrupt
    private let clock: any HostClock
    /// The URL to which the original URL was redirected last.
    private var url: RemoteURL
    /// The connection of the last request to `url`, while it can carry another request; nil if there is none.
    private var kept: Connection?

    private static let redirectLimit = 8
    static let interimLimit = 16

    init(_ request: HTTPRequest, policy: AddressPolicy, meter: TransferMeter?, interrupt: Interrupt, clock: any HostClock) {
        self.request = request
        self.policy = policy
        self.meter = meter
        self.interrupt = interrupt
        self.clock = clock
        url = request.origin
    }

    /// Closes the connection, and returns to the original URL, because the last request has failed, or the address may have expired.
    func forget() {
        kept = nil
        url = request.origin
    }

    /// Closes the connection of the last request.
    func close() { kept = nil }

    /// Sends a request, follows redirects up to their limit, and returns the head of the response with its body. The connection of the preceding
    /// request is used again if its response was read completely and the server keeps it open. All of this takes at most `RetryPolicy.attemptLimit`.
    func ask(range: String, validator: String?) throws(PlaybackError) -> (HTTPReply, HTTPBody) {
        let deadline = clock.now + RetryPolicy.attemptLimit
        for _ in 0...HTTPClient.redirectLimit {
            if interrupt.isRaised { throw .cancelled }
            let bytes = request.bytes(to: url, range: range, validator: validator)
            let (connection, reply, rest) = try exchange(bytes, deadline)
            if reply.isRedirect, let location = reply["location"] {
                let next = try url.redirected(to: location)
                if url.isSecure, !next.isSecure {
                    throw PlaybackError(.addressNotAllowed, "The server redirects from https to http, which is not allowed.")
                }
                url = next
                kept = nil
                continue
            }
            kept = reply.keepsConnection ? connection : nil
            return (reply, HTTPBody(connection, reply, pending: rest))
        }
        throw PlaybackError(.network, "The server redirects too often.")
    }

    /// Sends the bytes of a request, and reads the head of the response.
    private func exchange(_ bytes: [UInt8], _ deadline: HostTime) throws(PlaybackError) -> (Connection, HTTPReply, [UInt8]) {
        if let connection = kept, !connection.isStale {
            // A server may close an idle connection at any time. Then the request is sent again over a new connection.
            connection.setDeadline(deadline)
            do throws(PlaybackError) {
                try connection.write(bytes)
                if let (reply, rest) = try HTTPHead.read(connection) {
                    meter?.countRequest()
                    return (connection, reply, rest)
                }
            } catch {
                guard RetryPolicy.Failure(error) == .unreachable, error != .silent, !interrupt.isRaised else { throw error }
            }
        }
        kept = nil
        let left = max(0, deadline - clock.now)
        let addresses = try Resolver.resolve(url.host, interrupt: interrupt, patience: left)
        try policy.admit(addresses)
        let connection = try Connection(url, addresses: addresses, interrupt: interrupt, deadline: deadline)
        meter?.countRequest(to: addresses.first?.text ?? url.host)
        do throws(PlaybackError) {
            try connection.write(bytes)
            guard let (reply, rest) = try HTTPHead.read(connection) else { throw PlaybackError.connectionLost }
            return (connection, reply, rest)
        } catch {
            throw error == .silent ? .late : error
        }
    }
}

extension PlaybackError {
    /// The error of a server that has not sent the head of its response in time.
    fileprivate static let late = PlaybackError(
        .network, "The server did not respond in time.", underlying: PlaybackError.silent.underlying)
}

extension RetryPolicy.Failure {
    /// The kind of a failed transfer, from its error. An error without an underlying cause is final: it describes an invalid response.
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
