import PlaybackEngine

@testable import FFmpegMedia

/// A source of bytes in memory. It counts the reads, and raises an interrupt at a given read.
final class CountingSource: ByteSource {
    private let bytes: [UInt8]
    private let interrupt: Interrupt?
    private let last: Int
    private(set) var offset: Int64 = 0
    /// The offset from which on no byte can be read.
    var failsFrom = Int64.max
    let isSeekable: Bool
    /// The number of calls of `read`, and the number of bytes that they returned in all.
    private(set) var reads = 0, count = 0
    /// The highest offset up to which bytes were read.
    private(set) var farthest: Int64 = 0

    init(_ bytes: [UInt8], isSeekable: Bool = true, raising interrupt: Interrupt? = nil, atRead last: Int = 0) {
        self.bytes = bytes
        self.isSeekable = isSeekable
        self.interrupt = interrupt
        self.last = last
    }

    var length: Int64? { Int64(bytes.count) }
    var isRemote: Bool { !isSeekable }
    var isLive: Bool { false }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard isSeekable || offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        self.offset = offset
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        reads += 1
        if reads == last { interrupt?.raise() }
        guard offset < failsFrom else { throw PlaybackError(.corruptMedia, "The bytes cannot be read.") }
        guard offset < bytes.count else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        offset += Int64(part.count)
        count += part.count
        farthest = max(farthest, offset)
        return part.count
    }
}
