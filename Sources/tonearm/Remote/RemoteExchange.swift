import Platform

/// One HTTP request to a daemon and its response, over a channel (a connection) of its own.
struct RemoteExchange {
    /// The maximum size of a response's body, in bytes. The largest document of the contract, a full queue, has about 20 MiB.
    static let maximumBodySize = 64 << 20
    /// The time limit for a response, in seconds. Opening a slow output takes up to 5 s, opening a medium up to 20 s.
    static let timeout = 40.0
    /// The maximum number of interim responses (status 1xx) before the final response.
    private static let maximumInterim = 16

    private let channel: any ByteChannel
    private let address: RemoteAddress
    private let clock: any HostClock
    private let maximumBodySize: Int
    /// The bytes of the response's body that arrived together with its head.
    private var pending: [UInt8] = []

    init(
        over channel: any ByteChannel, to address: RemoteAddress, clock: any HostClock = MonotonicClock(),
        maximumBodySize: Int = Self.maximumBodySize
    ) {
        self.channel = channel
        self.address = address
        self.clock = clock
        self.maximumBodySize = maximumBodySize
    }

    /// Sends a request, and returns the response with its whole body. The call blocks.
    mutating func response(to request: RemoteRequest, token: String?) throws(RemoteFailure) -> RemoteResponse {
        let deadline = clock.now + Self.timeout
        let head = try begin(request, token: token, until: deadline)
        return RemoteResponse(status: head.status, entityTag: head.entityTag, body: try body(of: head, until: deadline))
    }

    /// Sends a request, and returns the head of the response. `more` then returns the body. `begin` and `more` block.
    mutating func begin(_ request: RemoteRequest, token: String?) throws(RemoteFailure) -> RemoteResponseHead {
        try begin(request, token: token, until: clock.now + Self.timeout)
    }

    /// Reads the whole body of the response whose head `begin` has returned, and returns the response. The call blocks.
    mutating func response(after head: RemoteResponseHead) throws(RemoteFailure) -> RemoteResponse {
        RemoteResponse(status: head.status, entityTag: head.entityTag, body: try body(of: head, until: clock.now + Self.timeout))
    }

    /// Returns the next bytes of the response's body; an empty array at the end of the body. The call blocks for at most `seconds` seconds.
    mutating func more(within seconds: Double) throws(RemoteFailure) -> [UInt8] {
        guard pending.isEmpty else {
            defer { pending = [] }
            return pending
        }
        return try channel.read(until: clock.now + seconds)
    }

    private mutating func begin(_ request: RemoteRequest, token: String?, until deadline: HostTime) throws(RemoteFailure) -> RemoteResponseHead {
        try channel.write(request.bytes(to: address, token: token))
        var bytes: [UInt8] = []
        var searched = 0
        var interim = 0
        while true {
            if let end = Self.endOfHead(bytes, from: searched) {
                guard end <= RemoteResponseHead.maximumSize, let head = RemoteResponseHead(bytes[..<end]) else { throw notHTTP }
                bytes.removeFirst(end)
                searched = 0
                // Interim responses (status 1xx) precede the final response.
                if head.status < 200, interim < Self.maximumInterim {
                    interim += 1
                    continue
                }
                guard head.status >= 200 else { throw notHTTP }
                guard !head.isChunked else {
                    throw RemoteFailure(
                        .refused, "the server at \(address) sends its response in chunks, as a proxy does: use the address of the daemon itself")
                }
                pending = bytes
                return head
            }
            guard bytes.count <= RemoteResponseHead.maximumSize else { throw notHTTP }
            searched = max(0, bytes.count - 3)
            let more = try channel.read(until: deadline)
            guard !more.isEmpty else { throw RemoteFailure(.unreachable, "the server at \(address) closed the connection without a response") }
            bytes += more
        }
    }

    private mutating func body(of head: RemoteResponseHead, until deadline: HostTime) throws(RemoteFailure) -> [UInt8] {
        guard !head.hasNoBody else { return [] }
        let tooLarge = RemoteFailure(.refused, "the response of the server at \(address) is larger than \(maximumBodySize) bytes")
        if let length = head.contentLength, length > maximumBodySize { throw tooLarge }
        var body = pending
        pending = []
        while head.contentLength.map({ body.count < $0 }) ?? true {
            guard body.count <= maximumBodySize else { throw tooLarge }
            let more = try channel.read(until: deadline)
            if more.isEmpty {
                guard head.contentLength == nil else { throw RemoteFailure(.unreachable, "the server at \(address) closed the connection early") }
                return body
            }
            body += more
        }
        return head.contentLength.map { Array(body.prefix($0)) } ?? body
    }

    private var notHTTP: RemoteFailure { RemoteFailure(.refused, "the server at \(address) does not speak HTTP") }

    /// Returns the index after the empty line that ends the head of a response; nil if the empty line has not arrived.
    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 3 < bytes.count {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D, bytes[index + 3] == 0x0A { return index + 4 }
            index += 1
        }
        return nil
    }
}
