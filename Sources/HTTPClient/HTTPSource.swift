import Platform
import PlaybackEngine

/// A medium at an http or https address, read in byte ranges.
///
/// Every network address of a server is checked before a connection. An address of a private network is refused if private addresses are not allowed,
/// and always after a public server has been reached (`AddressPolicy`).
///
/// A call of `read` makes one attempt. After an error the same call can be repeated: it reads on at the same byte, over a new connection that begins
/// at the original address, because redirects to signed addresses expire. If the error was the silence of the server, the old connection is kept
/// meanwhile (`spare`): whichever of the two connections delivers the next byte first is used.
final class HTTPSource: RetriedSource {
    private let client: HTTPSession
    private let clock: any HostClock

    private var body: HTTPExchange?
    /// The offset in the medium of the byte that the body of the HTTP response delivers next.
    private var bodyOffset: Int64 = 0
    /// The body of a response whose server fell silent, and the offset in the medium of its next byte. The body is kept while another connection is
    /// tried, and is used again if this byte arrives before the other connection has delivered one.
    private var spare: (body: HTTPExchange, offset: Int64)?
    /// The number of consecutive responses that have ended at the present offset, although the server states a greater length (`isShort`,
    /// `continueAfterEnd`).
    private var emptyBodies = 0
    private(set) var offset: Int64 = 0
    private(set) var length: Int64?
    private(set) var isSeekable = false
    private(set) var isLive = false
    private(set) var requestedDelay: Double?
    /// Whether the server sends ranges; nil as long as no response has shown it.
    private var sendsRanges: Bool?
    /// Whether the last response contains a part of the medium, and does not state the length of the whole medium.
    private var isPartial = false
    /// The identity of the content, from the first response.
    private var version: MediumVersion?
    private var sizes = RequestSizes()
    /// Whether the first request may use a connection of another part of the same medium. The next attempt to open uses a new one.
    private var sharesConnections: Bool
    /// The function that receives the bytes that arrive before the wanted offset, because `read` does not deliver them. Its second argument is the
    /// offset of the first of these bytes.
    private var skipObserver: ((UnsafeRawBufferPointer, Int64) -> Void)?
    var isRemote: Bool { true }
    var readThroughLimit: Int64 { sizes.readThroughLimit }

    /// The time without a byte from the server after which a second connection is tried, in seconds.
    private static let silenceLimit = 4.0
    /// The number of consecutive responses that have ended at the present offset (`emptyBodies`) after which the medium ends there, whatever length
    /// the server has stated.
    private static let emptyBodyLimit = 3
    /// The maximum number of bytes that may be missing before the stated length, if a server with byte ranges ends its connections too early
    /// (`isShort`).
    private static let missingLimit: Int64 = 64 << 10

    /// - Parameters:
    ///   - part: The URL of a part of the medium; nil for the medium itself, which is at `url`.
    ///   - start: The offset of the first byte that is read.
    ///   - connections: The connections that the parts of the medium share; nil for own ones.
    init(
        url: String, part: String? = nil, from start: Int64 = 0, headers: [MetadataEntry], allowsPrivateAddresses: Bool,
        proxies: ProxyRules = .system,
        trust: TLSTrust = .system, meter: TransferMeter? = nil, titles: TimedMetadataLog? = nil,
        answering: AnsweringAddress? = nil, connections: HTTPConnections? = nil, interrupt: Interrupt, clock: any HostClock = MonotonicClock()
    ) throws(PlaybackError) {
        let address: RemoteURL? = if let part { try RemoteURL(part) } else { nil }
        client = try HTTPSession(
            MediumRequest(try RemoteURL(url), address: address, headers: headers, titles: titles),
            policy: AddressPolicy(allowsPrivate: allowsPrivateAddresses), proxies: proxies, trust: trust, meter: meter,
            interrupt: interrupt, answering: answering, connections: connections)
        offset = start
        sharesConnections = connections != nil
        self.clock = clock
    }

    /// Sends the first request, and reads the head of its response.
    func open() throws(PlaybackError) {
        requestedDelay = nil
        defer { sharesConnections = false }
        try connect(at: offset, isFresh: !sharesConnections)
    }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard isSeekable || offset == self.offset else { throw PlaybackError(.notSeekable, "The server does not support seeking in this medium.") }
        if offset != self.offset { emptyBodies = 0 }
        self.offset = max(0, offset)
    }

    func setNeeded(_ range: Range<Int64>?) { sizes.setNeeded(range) }
    func observeSkipped(_ observer: @escaping (UnsafeRawBufferPointer, Int64) -> Void) { skipObserver = observer }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        requestedDelay = nil
        if let length, offset >= length { return 0 }
        do throws(PlaybackError) {
            try reach(offset)
            while true {
                let count = try receive(into: buffer)
                if count > 0 {
                    (spare, emptyBodies) = (nil, 0)
                    offset += Int64(count)
                    bodyOffset = offset
                    return count
                }
                if let body, !body.isComplete, isShort(body) {
                    length = offset
                    return 0
                }
                guard let body, body.isComplete, !isLive else { throw PlaybackError.connectionLost }
                // If the body of the HTTP response is complete, and the stated length of the medium has been reached, the medium ends.
                guard length.map({ offset < $0 }) ?? isPartial else { return 0 }
                try continueAfterEnd(of: body)
                if self.length == offset { return 0 }
            }
        } catch {
            if error == .silent, let body, spare == nil { spare = (body, bodyOffset) }
            if error != .connectionLost { emptyBodies = 0 }
            // After an interrupt (`cancelled`), the next `read` continues this response. After any other error the response is abandoned; after
            // `silent` it may be resumed (`spare`).
            if error.code != .cancelled {
                body = nil
                client.noteFailure()
            }
            throw error
        }
    }

    /// Counts a response whose connection has ended at the present offset, before the end that the response states. Returns whether the medium ends
    /// at this offset: if `emptyBodyLimit` consecutive responses have ended here. If the server has byte ranges, there is a second condition: at most
    /// `missingLimit` bytes are missing, because a faulty server may end its connections anywhere.
    private func isShort(_ body: HTTPExchange) -> Bool {
        guard !isLive, let length, body.remaining != nil else { return false }
        emptyBodies += 1
        return emptyBodies >= HTTPSource.emptyBodyLimit && (!isSeekable || length - offset <= HTTPSource.missingLimit)
    }

    /// Continues after a complete response that has ended before the end of the medium. If the response delivered bytes, requests the following ones.
    /// Otherwise sets `length` to the present offset if the medium ends here, or throws `connectionLost` so that the request is repeated.
    private func continueAfterEnd(of former: HTTPExchange) throws(PlaybackError) {
        if former.hasDelivered { return try connect(at: offset, isFresh: false) }
        // This is the response to a request at the end of a medium whose length the server does not state.
        if length == nil { return length = offset }
        // The server states a length that it does not deliver: after some attempts, the medium ends where its bytes end.
        emptyBodies += 1
        guard emptyBodies < HTTPSource.emptyBodyLimit else { return length = offset }
        throw .connectionLost
    }

    /// Makes `wanted` the byte offset that the HTTP body delivers next.
    private func reach(_ wanted: Int64) throws(PlaybackError) {
        // If an interrupt ended the wait for a response, this response is the next one on its connection.
        if body == nil, client.isUnanswered {
            let (reply, late, start) = try client.finish()
            try take((reply, late), at: start)
        }
        if spare?.offset != wanted { spare = nil }
        if body == nil, let spare, spare.body.hasArrived {
            (body, bodyOffset) = (spare.body, spare.offset)
            self.spare = nil
        }
        if body != nil, wanted >= bodyOffset, wanted - bodyOffset <= RequestSizes.smallestGap {
            try skip(to: wanted)
            if bodyOffset == wanted { return }
        }
        // A request after a failure begins at the original address; a seek continues on the connection of the preceding request if possible.
        if body == nil || bodyOffset != wanted {
            if wanted != bodyOffset { sizes.begin(at: wanted) }
            try connect(at: wanted, isFresh: client.hasFailed)
        }
    }

    private func skip(to wanted: Int64) throws(PlaybackError) {
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { scratch.deallocate() }
        while bodyOffset < wanted {
            let size = Int(min(Int64(scratch.count), wanted - bodyOffset))
            let count = try receive(into: UnsafeMutableRawBufferPointer(rebasing: scratch[..<size]))
            guard count > 0 else { return }
            skipObserver?(UnsafeRawBufferPointer(rebasing: scratch[..<count]), bodyOffset)
            bodyOffset += Int64(count)
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let began = clock.now
        body?.setDeadline(began + HTTPSource.silenceLimit)
        var count = 0
        repeat {
            let received = try body?.read(into: buffer) ?? 0
            let seconds = clock.now - began
            client.meter?.count(bytes: received, seconds: seconds)
            sizes.count(bytes: received, seconds: seconds)
            guard received > 0 else { return 0 }
            count = takeTitles(UnsafeMutableRawBufferPointer(rebasing: buffer[..<received]))
        } while count == 0
        return count
    }

    /// Removes the titles of a radio station from received bytes, and adds them to the log. Returns the number of audio bytes.
    private func takeTitles(_ received: UnsafeMutableRawBufferPointer) -> Int {
        guard let (count, blocks) = body?.filter?.filter(received) else { return received.count }
        for block in blocks { client.titles?.add(block.entries, atByte: bodyOffset + Int64(block.offset)) }
        return count
    }

    // MARK: Asking

    /// Requests the bytes of the medium from `start` on.
    ///
    /// - Parameters:
    ///   - isFresh: Whether the request goes to the original address over a new connection.
    private func connect(at start: Int64, isFresh: Bool) throws(PlaybackError) {
        if isFresh { client.forget() } else { try keepConnection() }
        body = nil
        let end = isLive || length == nil && version != nil ? nil : start + sizes.window(at: start) - 1
        let range = sendsRanges == false ? nil : "\(start)-\(end.map(String.init) ?? "")"
        try take(client.ask(from: start, range: range, validator: range != nil && start > 0 ? version?.validator : nil), at: start)
        if bodyOffset < start {
            try skip(to: start)
            guard bodyOffset == start else { throw .connectionLost }
        }
    }

    /// Makes `response` the present one. It answers a request for the bytes from `start` on.
    private func take(_ response: (reply: HTTPReply, body: HTTPExchange), at start: Int64) throws(PlaybackError) {
        // A server may ignore a range (RFC 9110, section 14.2), but some refuse a request that has one. A refusal of a later part says that the medium
        // ends before it.
        if start == 0, sendsRanges == nil, [416, 501].contains(response.reply.status) {
            sendsRanges = false
            return try take(client.ask(from: start, range: nil, validator: nil), at: start)
        }
        requestedDelay = response.reply.retryAfter
        bodyOffset = try accept(response.reply, at: start)
        body = response.body
    }

    /// Reads the rest of the present response if that takes little time, so that the connection can carry the next request. Otherwise the connection
    /// is closed.
    private func keepConnection() throws(PlaybackError) {
        guard let body else { return }
        guard let left = body.remaining, sizes.allowsDraining(left, connecting: client.connectingTime) else { return }
        try skip(to: bodyOffset + left)
    }

    /// Checks the HTTP response to a request for the bytes from `start` on, and reads the length of the medium from it. Returns the offset of the
    /// response's first byte in the medium: `start`, or 0 if the server does not support ranges.
    private func accept(_ reply: HTTPReply, at start: Int64) throws(PlaybackError) -> Int64 {
        if [200, 206].contains(reply.status), let coding = reply.coding { throw .compressed(coding) }
        let present = MediumVersion(reply)
        if [200, 206].contains(reply.status), !isLive, let version, version.differs(from: present) { throw .changed }
        isPartial = reply.status == 206 && reply.contentRange?.length == nil
        switch reply.status {
        case 206:
            guard let range = reply.contentRange, range.first == start else {
                throw PlaybackError(.network, "The server sends a part of the medium that was not requested.", reason: .badResponse)
            }
            if let known = length, let now = range.length, now != known, version?.validator == nil { throw .changed }
            sendsRanges = true
            length = range.length ?? length
            isSeekable = length != nil
        case 200 where start == 0 || isLive || version == nil:
            if version == nil {
                isLive = reply.isStation
                client.titles?.setStation(StationMetadata.facts(reply))
                length = reply.isChunked ? nil : reply.contentLength
            }
            isSeekable = length != nil && sendsRanges != false && reply["accept-ranges"]?.lowercased().trimmingSpaces == "bytes"
            version = version ?? present
            // The server has ignored the range of a first request.
            return isLive ? start : 0
        case 200:
            // The server does not support ranges, or the medium has changed. The medium counts as changed unless its identity or its length is known
            // to be the same.
            guard version?.validator != nil || reply.contentLength == length else { throw .changed }
            return 0
        case 416 where start > 0:
            guard reply.unsatisfiedLength ?? length ?? start == start else {
                throw PlaybackError(.network, "The medium is shorter than the length that the server reported.", reason: .badResponse)
            }
            // The medium ends at `start`. The server had stated a greater length, or none.
            length = start
            return start
        default: throw HTTPSource.error(status: reply.status)
        }
        version = version ?? present
        return start
    }

    private static func error(status: Int) -> PlaybackError {
        let underlying = PlaybackError.Underlying(domain: "HTTP", code: status, message: "status \(status)")
        return switch status {
        case 401, 407:
            PlaybackError(
                .permissionDenied, "The server requires a user and a password.", reason: .authenticationRequired, underlying: underlying)
        case 403: PlaybackError(.permissionDenied, "The server refuses access to the medium.", underlying: underlying)
        case 404, 410: PlaybackError(.fileNotFound, "The server does not have the medium.", underlying: underlying)
        default:
            PlaybackError(
                .network, "The server responded with status \(status).", reason: [429, 503].contains(status) ? .unavailable : .badResponse,
                underlying: underlying)
        }
    }
}
