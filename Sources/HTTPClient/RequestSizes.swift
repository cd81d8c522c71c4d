/// Decides how many bytes each request for one medium asks for, and whether the rest of a response is read so that its connection can carry the next
/// request.
///
/// A seek can use the connection again only after the rest of the present response has been read. So a request asks for few bytes if a seek is likely
/// (at the start, and after a seek) or the link is slow. The requests become larger while the reading continues without a seek.
package struct RequestSizes {
    private var bytes = 0.0
    private var seconds = 0.0
    /// The offset at which the present reading without a seek began.
    private var start: Int64 = 0
    /// The bytes that the reader has announced; nil if there are none. A request at one of them asks for the bytes up to their end, but not for more
    /// than the largest window.
    private var needed: Range<Int64>?

    /// The smallest and the largest number of bytes that a request asks for. Only a request for announced bytes (`needed`) may ask for fewer.
    package static let windows: ClosedRange<Int64> = 128 << 10...2 << 20
    /// The distance to the next needed byte, in bytes, up to which a running response is always continued, without a new request.
    static let smallestGap: Int64 = 128 << 10
    /// The divisor that makes requests grow: a request asks for the number of bytes read since the last seek, divided by `growth`.
    private static let growth: Int64 = 4
    /// The longest time that reading the rest of a response may take, in seconds. A new connection with TLS takes about as long on a link of medium
    /// quality.
    private static let drainLimit = 0.15
    /// The time that reading the rest of a response may always take on a connection without TLS, in seconds, even if a new connection is opened
    /// faster.
    private static let leastDrain = 0.01
    /// The size of the rest of a response, in bytes, up to which the rest is always read.
    private static let smallRest: Int64 = 16 << 10

    /// Records that the reading continues at `offset` after a seek.
    mutating func begin(at offset: Int64) {
        start = offset
        if needed?.contains(offset) == false { needed = nil }
    }

    /// Sets the bytes that the reader has announced; nil if there are none.
    mutating func setNeeded(_ range: Range<Int64>?) { needed = range }

    /// Records that bytes were received within a time.
    mutating func count(bytes count: Int, seconds time: Double) {
        // Older transfers count less.
        if bytes > 4e6 { (bytes, seconds) = (bytes / 2, seconds / 2) }
        bytes += Double(count)
        seconds += max(0, time)
    }

    /// Returns the number of bytes for which a request at `offset` asks.
    func window(at offset: Int64) -> Int64 {
        let limits = RequestSizes.windows, run = offset - start
        if let needed, needed.contains(offset) { return min(needed.upperBound - offset, limits.upperBound) }
        guard run > 0 else { return limits.lowerBound }
        return min(max(limits.lowerBound, run / RequestSizes.growth, transferable), limits.upperBound)
    }

    /// The longest gap before the needed bytes, in bytes, over which a response is continued instead of a new request: the gap arrives in the time
    /// that a new connection takes.
    var readThroughLimit: Int64 { min(max(RequestSizes.smallestGap, transferable), RequestSizes.windows.upperBound) }

    /// Returns whether `rest`, the remaining number of bytes of a response, is read: only if that takes about as little time as a new connection.
    ///
    /// - Parameter connecting: The time that it took to open the last connection, in seconds. Nil for a connection with TLS, whose handshake costs
    ///   the server more than the rest of a response.
    func allowsDraining(_ rest: Int64, connecting: Double?) -> Bool {
        let limit = connecting.map { min(max(2 * $0, RequestSizes.leastDrain), RequestSizes.drainLimit) } ?? RequestSizes.drainLimit
        return rest <= max(RequestSizes.smallRest, transferable(within: limit))
    }

    private var transferable: Int64 { transferable(within: RequestSizes.drainLimit) }

    /// Returns the number of bytes that arrive within a time, in seconds; 0 if too few bytes have been received to estimate it.
    private func transferable(within time: Double) -> Int64 {
        guard bytes >= 16_384 else { return 0 }
        return Int64(min(time * bytes / max(seconds, 1e-6), 1e12))
    }
}
