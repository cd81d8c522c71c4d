package import Platform
package import PlaybackEngine

/// Opens the parts of a medium that consists of many resources, such as the playlists, keys and segments of HTTP Live Streaming. They are read one
/// after the other on one thread, which sends their requests over one kept connection.
package final class RemoteParts {
    /// The medium's own URL. Only its origin receives the custom header fields and the credentials.
    private let origin: String
    private let source: MediaSource
    private let policy: RetryPolicy
    private let isLive: Bool
    private let interrupt: Interrupt
    private let connections: HTTPConnections
    private let clock = MonotonicClock()

    /// - Parameters:
    ///   - source: The medium, at a URL, with its options.
    ///   - retryPolicy: The rule for failed transfers of a medium with a monitor.
    ///   - isLive: Whether the medium is a live stream. If it is played, failed requests are repeated for any time, until the server answers.
    package init(_ source: MediaSource, retryPolicy: RetryPolicy, isLive: Bool = false, interrupt: Interrupt) throws(PlaybackError) {
        guard case .remote(let url) = source.location else { throw PlaybackError(.unsupportedScheme, "The medium is not at an http or https URL.") }
        origin = url
        self.source = source
        self.isLive = isLive && source.monitor != nil
        policy = source.monitor == nil ? RemoteMedium.examinationPolicy : retryPolicy
        self.interrupt = interrupt
        connections = try HTTPConnections()
    }

    /// Opens the resource at `url`, from the byte `range.lowerBound` on. Blocks until the server has responded, until the policy gives up, or until
    /// an interrupt.
    ///
    /// - Parameters:
    ///   - range: The bytes that are read; nil for all.
    ///   - allowsPrivateAddresses: Whether the resource may be at a private address; false if a public server has named it.
    ///   - isContinuation: Whether the medium plays already, so that a failed request is repeated for longer.
    ///   - address: Receives the address that has answered.
    package func open(
        _ url: String, range: Range<Int64>? = nil, allowsPrivateAddresses: Bool, isContinuation: Bool, answering address: AnsweringAddress? = nil
    ) throws(PlaybackError) -> any ByteSource {
        let server = try HTTPSource(
            url: origin, part: url, from: range?.lowerBound ?? 0, headers: source.httpHeaders,
            allowsPrivateAddresses: source.allowsPrivateAddresses && allowsPrivateAddresses, meter: source.meter, answering: address,
            connections: connections, interrupt: interrupt, clock: clock)
        server.setNeeded(range ?? 0..<RequestSizes.windows.upperBound)
        return try RetryingSource(
            server, policy: policy, monitor: source.monitor, isContinuation: isContinuation, isPartOfLive: isLive, clock: clock,
            wait: interrupt.wait(until:))
    }

    /// Whether the error of a part means that the server does not have it. For a live stream that plays, which goes on without the part, that is any
    /// status that was not retried further, and a part that is another one, or shorter, than at its beginning.
    package func isMissing(_ error: PlaybackError) -> Bool {
        error.code == .fileNotFound
            || isLive && (error.underlying?.domain == "HTTP" || error.reason == .changed || error.reason == .badResponse)
    }

    /// The present time, on the clock of `wait`.
    package var now: HostTime { clock.now }

    /// Waits until a time. Throws `cancelled` after an interrupt.
    package func wait(until time: HostTime) throws(PlaybackError) {
        guard interrupt.wait(until: time) else { throw .cancelled }
    }

    /// Reports the reason why the medium is awaited, and the time of the next attempt; nil if it is not awaited.
    package func setWait(_ wait: ConnectionMonitor.Wait?) { source.monitor?.setWait(wait) }

    /// Returns the URL that `reference` means in a resource at the URL `base` (RFC 3986, section 5.2.2), without credentials. Throws
    /// `unsupportedScheme` if it is malformed, or neither http nor https.
    package static func resolve(_ reference: String, against base: String) throws(PlaybackError) -> String {
        try RemoteURL(base).redirected(to: Array(reference.utf8)).text(credentials: nil)
    }

    /// The query of a URL without `?`; empty if there is none.
    package static func query(of url: String) -> String {
        let rest = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return String(decoding: rest, as: UTF8.self)
    }
}
