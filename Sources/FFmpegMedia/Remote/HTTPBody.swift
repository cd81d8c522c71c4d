import PlaybackEngine

/// The body of an answer: what of the connection's bytes belongs to it (RFC 9112, section 6).
struct HTTPBody {
    private enum Framing {
        /// This many bytes follow.
        case counted(Int64)
        /// Chunks follow; so many bytes are left of the present one, nil before its size line.
        case chunked(Int64?)
        /// Everything until the connection ends.
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
        framing = reply.isChunked ? .chunked(nil) : reply.contentLength.map { .counted($0) } ?? .open
    }

    /// Whether the body's end is marked in the stream, so that a connection that ends early is noticed.
    var isComplete: Bool {
        switch framing {
        case .finished, .open: true
        case .counted(let left): left == 0
        case .chunked: false
        }
    }

    /// Reads up to `buffer.count` bytes; 0 where the connection or the body has ended.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        var room = Int64(buffer.count)
        switch framing {
        case .finished: return 0
        case .open: break
        case .counted(let left): room = min(room, left)
        case .chunked(let left):
            let size: Int64
            if let left { size = left } else if let next = try nextChunk() { size = next } else { return 0 }
            framing = .chunked(size)
            room = min(room, size)
        }
        guard room > 0 else {
            framing = .finished
            return 0
        }
        let count = try take(UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)]))
        switch framing {
        case .counted(let left): framing = .counted(left - Int64(count))
        case .chunked(let left):
            let rest = (left ?? 0) - Int64(count)
            framing = .chunked(rest > 0 ? rest : nil)
            if rest == 0 { _ = try line() }
        default: break
        }
        return count
    }

    /// The size of the next chunk; nil at the end.
    private mutating func nextChunk() throws(PlaybackError) -> Int64? {
        let text = try line()
        let digits = text.prefix { $0.isHexDigit }
        guard let size = Int64(digits, radix: 16), size > 0 else {
            if digits.allSatisfy({ $0 == "0" }), !digits.isEmpty { framing = .finished }
            return nil
        }
        return size
    }

    private mutating func line() throws(PlaybackError) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 1024 {
            if used == pending.count, try !refill() { break }
            let byte = pending[used]
            used += 1
            if byte == 0x0A { break }
            if byte != 0x0D { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func take(_ buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if used == pending.count {
            if buffer.count >= HTTPBody.block { return try connection.read(into: buffer) }
            // Small reads are served from a larger one.
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
