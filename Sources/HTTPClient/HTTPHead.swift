import PlaybackEngine

/// Reads the head of an HTTP response from a connection (RFC 9112, section 2.1), within limits.
enum HTTPHead {
    /// The number of bytes, including interim responses, after which the end of the head must have been read. The last read may exceed it by up to
    /// 4,095 bytes.
    private static let limit = 65_536

    /// Reads the head of an HTTP response, and returns it with the bytes that have been read after it. Interim responses before the HTTP response
    /// itself are skipped (RFC 9110, section 15.2). Returns nil if the connection ends before the first byte.
    ///
    /// Errors of `read`: `network`, also if the heads of the response do not end within `limit`, or if there are more than `HTTPSource.interimLimit`
    /// interim responses.
    ///
    /// - Parameter receive: The function that returns the next bytes of the connection, at most as many as its argument; an empty array at the end of
    ///   the connection.
    static func read(_ receive: (Int) throws(PlaybackError) -> [UInt8]) throws(PlaybackError) -> (reply: HTTPReply, rest: [UInt8])? {
        var bytes: [UInt8] = []
        var searched = 0
        var received = 0
        var interimCount = 0
        while true {
            if let end = endOfHead(bytes, from: max(0, searched - 3)) {
                // An HTTP response with status 101 (a change of protocol) is not an interim response, and was not requested.
                guard let reply = HTTPReply(Array(bytes[..<end.head])), reply.status != 101 else { break }
                guard (100..<200).contains(reply.status) else { return (reply, Array(bytes[end.body...])) }
                interimCount += 1
                guard interimCount <= HTTPSource.interimLimit else {
                    throw PlaybackError(.network, "The server sends more than \(HTTPSource.interimLimit) interim responses.", reason: .badResponse)
                }
                bytes.removeFirst(end.body)
                searched = 0
                continue
            }
            searched = bytes.count
            guard received < limit else {
                throw PlaybackError(.network, "The head of the server's response has more than \(limit) bytes.", reason: .badResponse)
            }
            let fresh = try receive(4096)
            if fresh.isEmpty {
                if received == 0 { return nil }
                break
            }
            received += fresh.count
            bytes += fresh
        }
        throw PlaybackError(.network, "The server's response is not HTTP.", reason: .badResponse)
    }

    /// Finds the end of a head: an empty line. A line ends with LF or CR LF. Returns nil if the empty line has not arrived.
    ///
    /// - Parameter start: The index at which the search begins. It is at least two bytes before the first byte that was not searched before, because
    ///   the end of the head may have arrived in parts.
    /// - Returns: `head` is the index of the LF of the head's last line, `body` the index after the empty line.
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
}
