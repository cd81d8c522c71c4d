import Platform
import PlaybackEngine

/// Bytes of a medium that are transferred out of order, only to be examined.
struct Excerpt: Equatable, Sendable {
    /// The offset of the first byte in the medium.
    let offset: Int64
    let bytes: [UInt8]

    /// The largest size of an excerpt, in bytes.
    static let largest: Int64 = 32 << 10
    /// The function that gets each excerpt, on the thread that transfers the excerpts. It returns the ranges that are transferred from now on; nil if
    /// the present ones remain.
    typealias Receiver = @Sendable (Excerpt) -> [Range<Int64>]?
}

/// The requests for excerpts of a medium, over a connection of their own. Each excerpt is requested once: any fault is an error.
final class ExcerptClient {
    private let client: HTTPClient
    private let clock: any HostClock

    init(_ client: HTTPClient, clock: any HostClock) {
        self.client = client
        self.clock = clock
    }

    /// Requests a range of the medium, and returns its bytes.
    ///
    /// Throws an error if the response is not exactly this range of a medium of `length` bytes, if it has a content coding, or if the server is
    /// silent for too long. Throws `cancelled` after an interrupt.
    func bytes(_ range: Range<Int64>, of length: Int64) throws(PlaybackError) -> [UInt8] {
        let (reply, response) = try client.ask(from: range.lowerBound, range: "\(range.lowerBound)-\(range.upperBound - 1)", validator: nil)
        var body = response
        guard reply.status == 206, case nil = reply.coding, reply.contentRange?.first == range.lowerBound, reply.contentRange?.length == length,
            body.remaining == Int64(range.count)
        else { throw PlaybackError(.network, "The server does not send the requested part of the medium.", reason: .badResponse) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
        defer { buffer.deallocate() }
        var filled = 0
        while filled < range.count {
            body.setDeadline(clock.now + HTTPSource.silenceLimit)
            let began = clock.now, count = try body.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            guard count > 0 else { throw .connectionLost }
            client.meter?.count(bytes: count, seconds: clock.now - began)
            filled += count
        }
        return Array(buffer)
    }
}
