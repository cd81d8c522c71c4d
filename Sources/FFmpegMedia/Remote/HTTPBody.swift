import PlaybackEngine

/// The body of a response, within the connection's bytes (RFC 9112, section 6).
struct HTTPBody {
    private enum Framing {
        /// This many bytes are left.
        case counted(Int64)
        /// This many bytes are left of the current chunk.
        case chunk(Int64)
        /// A chunk's size line follows, after the empty line that ends the preceding chunk, if there was one.
        case chunkSize(isFirst: Bool)
        /// Everything up to the end of the connection.
        case open
        case finished
    }
    private let connection: Connection
    private var framing: Framing
    /// Bytes read from the connection and not yet used.
    private var pending: [UInt8]
    private var used = 0

    init(_ connection: Connection, _ reply: HTTPReply, pending: [UInt8]) {
        self.connection = connection
        self.pending = pending
        framing = reply.isChunked ? .chunkSize(isFirst: true) : reply.contentLength.map { .counted($0) } ?? .open
    }

    /// Whether the connection may end here: the body is complete, or its end is not marked.
    var isComplete: Bool {
        switch framing {
        case .finished, .open: true
        case .counted(let left): left == 0
        case .chunk, .chunkSize: false
        }
    }

    /// Reads up to `buffer.count` bytes; 0 if the connection or the body has ended.
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
            framing = .finished
            return 0
        }
        let count = try take(UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(limit)]))
        switch framing {
        case .counted(let left): framing = .counted(left - Int64(count))
        case .chunk(let left): framing = left > Int64(count) ? .chunk(left - Int64(count)) : .chunkSize(isFirst: false)
        default: break
        }
        return count
    }

    /// Returns the size of the next chunk; 0 ends the body. The trailer fields that follow are not read: the connection serves one response.
    private mutating func nextChunk(isFirst: Bool) throws(PlaybackError) -> Int64 {
        if !isFirst, try !line().isEmpty { throw HTTPBody.malformed }
        let digits = try line().prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
        guard let first = digits.first, first != 0x2B, let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
            throw HTTPBody.malformed
        }
        return size
    }

    /// The longest line between chunks, in bytes: a size with its extensions.
    static let lineLimit = 1024

    /// Returns a line without its end. Errors: `network` if it is longer than `lineLimit` or the connection ends in it.
    private mutating func line() throws(PlaybackError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            if used == pending.count, try !refill() { throw PlaybackError(.network, "The connection to the server was lost.") }
            let byte = pending[used]
            used += 1
            if byte == 0x0A { return bytes.last == 0x0D ? bytes.dropLast() : bytes }
            guard bytes.count < HTTPBody.lineLimit else {
                throw PlaybackError(.network, "A line between the chunks of the server's response has more than \(HTTPBody.lineLimit) bytes.")
            }
            bytes.append(byte)
        }
    }

    private static var malformed: PlaybackError { PlaybackError(.network, "The chunks of the server's response are malformed.") }

    private mutating func take(_ buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if used == pending.count {
            if buffer.count >= HTTPBody.block { return try connection.read(into: buffer) }
            // Small reads are served from the buffer of a larger one.
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
