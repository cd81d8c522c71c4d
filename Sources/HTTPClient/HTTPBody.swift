import Platform
import PlaybackEngine

/// The body of an HTTP response, within the bytes of a connection (RFC 9112, section 6).
struct HTTPBody {
    private enum Framing {
        /// The HTTP body has a stated length; the associated value is the number of bytes of the body that are left.
        case counted(Int64)
        /// The HTTP body is chunked; the associated value is the number of bytes of the current chunk that are left.
        case chunk(Int64)
        /// The HTTP body is chunked, and the next line states the size of a chunk. After a preceding chunk, an empty line precedes the line with the
        /// next chunk's size.
        case chunkSize(isFirst: Bool)
        /// The HTTP body extends to the end of the connection.
        case open
        case finished
    }
    private let connection: Connection
    private var framing: Framing
    /// The bytes that were read last from the connection; the first `used` of them have already been processed.
    private var pending: [UInt8]
    /// The number of `pending` bytes of the HTTP response that have been used already.
    private var used = 0
    /// The bytes of a line between two chunks that have arrived, before the line is complete.
    private var partialLine: [UInt8] = []
    /// The filter for the titles of a radio station in the body; nil if the body has none.
    var filter: ICYFilter?

    init(_ connection: Connection, _ reply: HTTPReply, pending: [UInt8]) {
        self.connection = connection
        self.pending = pending
        filter = reply.isStation ? ICYFilter(reply) : nil
        framing = reply.isChunked ? .chunkSize(isFirst: true) : reply.contentLength.map { .counted($0) } ?? .open
    }

    /// Whether the connection may end here, because the HTTP body is complete or because it has no marked end.
    var isComplete: Bool {
        switch framing {
        case .finished, .open: true
        case .counted(let left): left == 0
        case .chunk, .chunkSize: false
        }
    }

    /// Whether all bytes of the HTTP body have been read, so that the connection can carry another request. The trailer fields of a chunked body are
    /// not read, so its connection is not used again.
    var isConsumed: Bool { if case .counted(0) = framing, used == pending.count { true } else { false } }

    /// Whether a byte of the HTTP body has been read.
    private(set) var hasDelivered = false

    /// Whether bytes have arrived on the connection, or the connection has ended, so that a read does not wait.
    var hasArrived: Bool { used < pending.count || connection.isStale }

    /// The number of bytes of the HTTP body that have not been read; nil if it is unknown.
    var remaining: Int64? { if case .counted(let left) = framing { left } else { nil } }

    /// Sets the host time at which a read of the HTTP body ends with the error `silent`. The body can be read further after such an error.
    func setDeadline(_ time: HostTime) { connection.setDeadline(time) }

    /// Reads up to `buffer.count` bytes of the HTTP body, and returns their number; 0 if the connection or the body has ended.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        var limit = Int64(buffer.count)
        switch framing {
        case .finished: return 0
        case .open: break
        case .counted(let left): limit = min(limit, left)
        case .chunk(let left): limit = min(limit, left)
        case .chunkSize(let isFirst):
            let size = try nextChunk(isFirst: isFirst)
            framing = .chunk(size)
            limit = min(limit, size)
        }
        guard limit > 0 else {
            if case .counted = framing { return 0 }
            framing = .finished
            return 0
        }
        let count = try take(UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(limit)]))
        if count > 0 { hasDelivered = true }
        switch framing {
        case .counted(let left): framing = .counted(left - Int64(count))
        case .chunk(let left): framing = left > Int64(count) ? .chunk(left - Int64(count)) : .chunkSize(isFirst: false)
        default: break
        }
        return count
    }

    /// Returns the size of the next chunk of the HTTP body, in bytes; 0 means the end of the body. The trailer fields after the last chunk are not
    /// read, because the connection of a chunked body is not used again (`isConsumed`).
    private mutating func nextChunk(isFirst: Bool) throws(PlaybackError) -> Int64 {
        if !isFirst {
            guard try line().isEmpty else { throw HTTPBody.malformed }
            framing = .chunkSize(isFirst: true)
        }
        let digits = try line().prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
        guard let first = digits.first, first != 0x2B, let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
            throw HTTPBody.malformed
        }
        return size
    }

    /// The maximum length of a line of the chunked framing (`line`), in bytes.
    static let lineLimit = 1024

    /// Reads one line of the chunked framing, and returns it without its line end: the size of a chunk with its extensions, or the empty line after a
    /// chunk's data. Also throws `network` if the line is longer than `lineLimit`, or if the connection ends in it.
    private mutating func line() throws(PlaybackError) -> [UInt8] {
        while true {
            if used == pending.count, try !refill() { throw .connectionLost }
            let byte = pending[used]
            used += 1
            if byte == 0x0A {
                defer { partialLine = [] }
                return partialLine.last == 0x0D ? partialLine.dropLast() : partialLine
            }
            guard partialLine.count < HTTPBody.lineLimit else {
                throw PlaybackError(
                    .network, "A line between the chunks of the server's response has more than \(HTTPBody.lineLimit) bytes.", reason: .badResponse)
            }
            partialLine.append(byte)
        }
    }

    private static var malformed: PlaybackError {
        PlaybackError(.network, "The chunks of the server's response are malformed.", reason: .badResponse)
    }

    /// Reads bytes of the connection, buffered ones first, and returns their number; 0 at the end of the connection. `buffer` must not be larger than
    /// the rest of the chunk or of the body.
    private mutating func take(_ buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if used == pending.count {
            if buffer.count >= HTTPBody.block { return try connection.read(into: buffer) }
            // If the caller reads few bytes of the HTTP body, a larger block is read from the connection and buffered.
            guard try refill() else { return 0 }
        }
        let count = min(buffer.count, pending.count - used)
        pending.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[used..<used + count])) }
        used += count
        return count
    }

    private static let block = 16_384

    private mutating func refill() throws(PlaybackError) -> Bool {
        pending = try connection.read(upTo: HTTPBody.block)
        used = 0
        return !pending.isEmpty
    }
}
