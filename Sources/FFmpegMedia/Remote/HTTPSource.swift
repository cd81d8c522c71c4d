import Glibc
import Platform
import PlaybackEngine

/// A medium at an http or https address, read in byte ranges over HTTP/1.1. `HTTPSource` itself follows redirects, by its own rules.
///
/// Every network address of a server is checked before a connection. An address of a private network is refused if private addresses are not allowed,
/// and always after a public server has been reached (`AddressPolicy`). Only the origin of the medium's original URL receives custom header fields
/// and credentials.
final class HTTPSource: ByteSource {
    private var url: RemoteURL
    private let headers: [MetadataEntry]
    private var policy: AddressPolicy
    private let interrupt: Interrupt
    private let meter: TransferMeter?
    private let clock = MonotonicClock()
    private let origin: RemoteURL

    private var body: HTTPBody?
    /// The offset in the medium of the byte that the body of the HTTP response delivers next.
    private var bodyOffset: Int64 = 0
    private(set) var offset: Int64 = 0
    private(set) var length: Int64?
    private(set) var isSeekable = false
    var isRemote: Bool { true }

    private static let redirectLimit = 8
    /// The maximum size of the heads of an HTTP response, in bytes, including interim responses.
    private static let headLimit = 65_536
    static let interimLimit = 16
    /// The maximum distance of a forward seek in a remote medium, in bytes, at which the bytes in between are read, without a new request.
    private static let readAheadLimit: Int64 = 128 << 10
    private static let attempts = 3

    init(
        url: String, headers: [MetadataEntry], allowsPrivateAddresses: Bool, meter: TransferMeter? = nil, interrupt: Interrupt
    ) throws(PlaybackError) {
        self.url = try RemoteURL(url)
        origin = self.url
        self.headers = headers.filter { HTTPSource.isPermitted($0) }
        policy = AddressPolicy(allowsPrivate: allowsPrivateAddresses)
        self.interrupt = interrupt
        self.meter = meter
        try connect(at: 0)
    }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard isSeekable || offset == self.offset else { throw PlaybackError(.notSeekable, "The server does not support seeking in this medium.") }
        self.offset = max(0, offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if let length, offset >= length { return 0 }
        var failures = 0
        while true {
            do throws(PlaybackError) {
                try reach(offset)
                let count = try receive(into: buffer)
                if count > 0 {
                    offset += Int64(count)
                    bodyOffset = offset
                    return count
                }
                // If the body of the HTTP response is complete, and the stated length of the medium has been reached, the medium ends.
                if body?.isComplete ?? true, length.map({ offset >= $0 }) ?? true { return 0 }
                throw PlaybackError(.network, "The connection to the server was lost.")
            } catch {
                body = nil
                failures += 1
                let mayPass = error.code == .network || error.code == .busy
                guard mayPass, isSeekable, failures < HTTPSource.attempts, !interrupt.isRaised else { throw error }
                pause()
            }
        }
    }

    /// Makes `wanted` the byte offset that the HTTP body delivers next.
    private func reach(_ wanted: Int64) throws(PlaybackError) {
        if body != nil, wanted >= bodyOffset, wanted - bodyOffset <= HTTPSource.readAheadLimit {
            try skip(to: wanted)
            if bodyOffset == wanted { return }
        }
        if body == nil || bodyOffset != wanted { try connect(at: wanted) }
    }

    private func skip(to wanted: Int64) throws(PlaybackError) {
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { scratch.deallocate() }
        while bodyOffset < wanted {
            let size = Int(min(Int64(scratch.count), wanted - bodyOffset))
            let count = try receive(into: UnsafeMutableRawBufferPointer(rebasing: scratch[..<size]))
            guard count > 0 else { return }
            bodyOffset += Int64(count)
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let began = clock.now
        let count = try body?.read(into: buffer) ?? 0
        meter?.count(bytes: count, seconds: clock.now - began)
        return count
    }

    // MARK: Asking

    /// Requests all bytes of the medium from `start` on, and follows redirects up to their limit.
    private func connect(at start: Int64) throws(PlaybackError) {
        body = nil
        for _ in 0...HTTPSource.redirectLimit {
            if interrupt.isRaised { throw .cancelled }
            let addresses = try Resolver.resolve(url.host, interrupt: interrupt)
            try policy.admit(addresses)
            let connection = try Connection(url, addresses: addresses, interrupt: interrupt)
            meter?.countRequest(to: addresses.first?.text ?? url.host)
            try connection.write(Array(request(from: start).utf8))
            let (reply, rest) = try head(connection)
            if reply.isRedirect, let location = reply["location"] {
                let next = try url.redirected(to: location)
                if url.isSecure, !next.isSecure {
                    throw PlaybackError(.addressNotAllowed, "The server redirects from https to http, which is not allowed.")
                }
                url = next
                continue
            }
            try accept(reply, at: start)
            body = HTTPBody(connection, reply, pending: rest)
            bodyOffset = start
            return
        }
        throw PlaybackError(.network, "The server redirects too often.")
    }

    private func request(from start: Int64) -> String {
        var lines = [
            "GET \(url.target) HTTP/1.1", "Host: \(url.authority)", "User-Agent: Tonearm", "Accept: */*", "Accept-Encoding: identity",
            "Range: bytes=\(start)-", "Connection: close",
        ]
        if url.hasSameOrigin(as: origin) {
            lines += headers.map { "\($0.key): \($0.value)" }
            if let credentials = origin.credentials.map(PercentEncoding.lenientlyDecodedBytes) {
                lines.append("Authorization: Basic \(Base64.encode(credentials))")
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Reads the head of an HTTP response, and returns it with the bytes that have been read after it. Interim responses before the HTTP response
    /// itself are skipped (RFC 9110, section 15.2).
    ///
    /// Errors of `head`: `network`, also if the heads of the response have more than `headLimit` bytes together, or if there are more than
    /// `interimLimit` interim responses.
    private func head(_ connection: Connection) throws(PlaybackError) -> (HTTPReply, [UInt8]) {
        var bytes: [UInt8] = []
        var searched = 0
        var received = 0
        var interimCount = 0
        while true {
            if let end = HTTPSource.endOfHead(bytes, from: max(0, searched - 3)) {
                // An HTTP response with status 101 (a change of protocol) is not an interim response, and was not requested.
                guard let reply = HTTPReply(Array(bytes[..<end.head])), reply.status != 101 else { break }
                guard (100..<200).contains(reply.status) else { return (reply, Array(bytes[end.body...])) }
                interimCount += 1
                guard interimCount <= HTTPSource.interimLimit else {
                    throw PlaybackError(.network, "The server sends more than \(HTTPSource.interimLimit) interim responses.")
                }
                bytes.removeFirst(end.body)
                searched = 0
                continue
            }
            searched = bytes.count
            guard received < HTTPSource.headLimit else {
                throw PlaybackError(.network, "The head of the server's response has more than \(HTTPSource.headLimit) bytes.")
            }
            let fresh = try connection.read(upTo: 4096)
            if fresh.isEmpty { break }
            received += fresh.count
            bytes += fresh
        }
        throw PlaybackError(.network, "The server's response is not HTTP.")
    }

    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> (head: Int, body: Int)? {
        var at = start
        while at < bytes.count {
            if bytes[at] == 0x0A {
                if at + 1 < bytes.count, bytes[at + 1] == 0x0A { return (at, at + 2) }
                if at + 2 < bytes.count, bytes[at + 1] == 0x0D, bytes[at + 2] == 0x0A { return (at, at + 3) }
            }
            at += 1
        }
        return nil
    }

    /// Checks the HTTP response to a request for the bytes from `start` on, and reads the length of the medium from it.
    private func accept(_ reply: HTTPReply, at start: Int64) throws(PlaybackError) {
        if let coding = reply["content-encoding"]?.lowercased().trimmingSpaces, coding != "identity", !coding.isEmpty {
            throw PlaybackError(.network, "The server sends the medium in a content coding that was not requested.")
        }
        switch reply.status {
        case 206:
            guard let range = reply.contentRange, range.first == start else {
                throw PlaybackError(.network, "The server sends a part of the medium that was not requested.")
            }
            if let length, let now = range.length, now < length { self.length = now } else { length = range.length ?? length }
            isSeekable = length != nil
        case 200:
            guard start == 0 else { throw PlaybackError(.notSeekable, "The server does not support seeking in this medium.") }
            length = reply.isChunked ? nil : reply.contentLength
            isSeekable = length != nil && reply["accept-ranges"]?.lowercased().trimmingSpaces == "bytes"
        case 416 where start > 0:
            throw PlaybackError(.network, "The medium is shorter than the length that the server reported.")
        default: throw HTTPSource.error(status: reply.status)
        }
    }

    private static func error(status: Int) -> PlaybackError {
        let underlying = PlaybackError.Underlying(domain: "HTTP", code: status, message: "status \(status)")
        return switch status {
        case 401, 403, 407: PlaybackError(.permissionDenied, "The server refuses access to the medium.", underlying: underlying)
        case 404, 410: PlaybackError(.fileNotFound, "The server does not have the medium.", underlying: underlying)
        default: PlaybackError(.network, "The server responded with status \(status).", underlying: underlying)
        }
    }

    /// Returns whether a custom header field may be sent: it must be well-formed, and must not be a field that `HTTPSource` sets itself.
    private static func isPermitted(_ field: MetadataEntry) -> Bool {
        let reserved: Set<String> = [
            "host", "range", "connection", "accept-encoding", "transfer-encoding", "content-length", "upgrade", "te", "trailer",
        ]
        let isName =
            !field.key.isEmpty
            && field.key.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
            }
        return isName && !reserved.contains(field.key.lowercased()) && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Waits 0.25 s before another attempt to reach the server; the interrupt ends the wait.
    private func pause() {
        for _ in 0..<5 where !interrupt.isRaised { poll(nil, 0, 50) }
    }
}

/// The Base64 encoding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 { output.append(index <= group.count ? alphabet[value >> (18 - 6 * index) & 63] : 0x3D) }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
