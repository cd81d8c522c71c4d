import Foundation
import Platform

/// One HTTP request and its response, over a channel of its own.
struct RemoteExchange {
    /// In bytes; the largest document, a full queue, has about 20 MiB.
    static let maximumBodySize = 64 << 20
    /// The limit for a response, in seconds: opening a slow output takes up to 5, a medium up to 20.
    static let timeout = 40.0
    /// The limit of responses with status 1xx.
    private static let maximumInterim = 16

    private let channel: any ByteChannel
    private let address: RemoteAddress
    private let clock: any HostClock
    private let maximumBodySize: Int
    /// Bytes of the body that arrived with the head.
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

    /// Returns the response with its whole body. Blocks.
    mutating func response(to request: RemoteRequest, token: String?) throws(RemoteFailure) -> RemoteResponse {
        let deadline = clock.now + Self.timeout
        let head = try begin(request, token: token, until: deadline)
        return RemoteResponse(status: head.status, entityTag: head.entityTag, body: try body(of: head, until: deadline))
    }

    /// Returns the head; `more` then returns the body. Both block.
    mutating func begin(_ request: RemoteRequest, token: String?) throws(RemoteFailure) -> RemoteResponseHead {
        try begin(request, token: token, until: clock.now + Self.timeout)
    }

    /// Returns the whole response after `begin`. Blocks.
    mutating func response(after head: RemoteResponseHead) throws(RemoteFailure) -> RemoteResponse {
        RemoteResponse(status: head.status, entityTag: head.entityTag, body: try body(of: head, until: clock.now + Self.timeout))
    }

    /// Returns the next bytes of the body, or none at the end. Blocks for at most `seconds`.
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

    /// The index after the empty line.
    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 3 < bytes.count {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D, bytes[index + 3] == 0x0A { return index + 4 }
            index += 1
        }
        return nil
    }
}

/// Why `tonearm remote` failed, as one line for standard error.
struct RemoteFailure: Error, Hashable, CustomStringConvertible {
    /// The raw value is the exit status.
    enum Kind: Int32, Sendable, Hashable {
        /// Refused by the daemon, or failed for any reason but `unreachable`.
        case refused = 1
        /// No daemon, or a lost connection.
        case unreachable = 3
    }

    let kind: Kind
    /// One sentence, perhaps from the server, so it must be escaped.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// The failure that a problem document (RFC 9457) reports.
    init(_ response: RemoteResponse, at address: RemoteAddress) {
        struct Problem: Decodable {
            var title: String?
            var detail: String?
            var type: String?
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body.prefix(64 << 10)))
        let text = problem?.detail ?? problem?.title ?? "the server at \(address) responded with status \(response.status)"
        self.init(.refused, response.status == 401 ? "\(text) Name the file with the token: --token-file FILE." : text)
    }
}
