package import PlaybackEngine
import Synchronization

/// A remote medium whose server fails at the calls and offsets that the test sets.
package final class ScriptedRemote: ByteSource {
    package let bytes: [UInt8]
    /// The outcomes of the next calls of `open`; nil means success.
    package var openings: [PlaybackError?] = []
    /// The errors of the next reads at an offset, by the offset.
    package var failures: [Int64: [PlaybackError]] = [:]
    /// The size of the largest answer to a read, in bytes.
    package var blockSize = 1000
    package private(set) var openCount = 0
    /// The offsets of all reads, which a test may read while another thread transfers. The copy has storage of its own: ThreadSanitizer does not see
    /// the reference counts by which threads share an array's storage.
    package var readOffsets: [Int64] { offsetsOfReads.withLock { $0.map { $0 } } }
    private let offsetsOfReads = Mutex<[Int64]>([])
    package private(set) var offset: Int64 = 0
    package var isLive = false
    package var requestedDelay: Double?
    package var isSeekable = true
    /// The number of reads after which the server no longer has byte ranges.
    package var rangedReads = Int.max
    package var isRemote: Bool { true }
    package var length: Int64? { Int64(bytes.count) }

    /// The number of reads that do not continue the preceding one, and the number of bytes that were read.
    package private(set) var jumps = 0, byteCount = 0
    private var nextOffset: Int64 = 0

    /// Whether the bytes that were read are kept, as a buffered source keeps them.
    package var keepsBytes = false
    /// Whether each byte is kept.
    private var isKept: [Bool]

    /// Keeps a range of bytes, as if they had been transferred.
    package func keep(_ range: Range<Int>) { for place in range { isKept[place] = true } }
    package func dropKept() { isKept = [Bool](repeating: false, count: bytes.count) }
    package func isPresent(_ range: Range<Int64>) -> Bool {
        keepsBytes && range.upperBound <= Int64(bytes.count) && isKept[Int(range.lowerBound)..<Int(range.upperBound)].allSatisfy(\.self)
    }
    package func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard keepsBytes, offset < Int64(bytes.count) else { return 0 }
        let count = isKept[Int(offset)...].prefix(buffer.count).prefix { $0 }.count
        buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
        return count
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isKept = [Bool](repeating: false, count: bytes.count)
    }
    package convenience init(_ count: Int) { self.init((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }) }

    package func open() throws(PlaybackError) {
        openCount += 1
        if !openings.isEmpty, let error = openings.removeFirst() { throw error }
    }

    package func seek(to offset: Int64) throws(PlaybackError) { self.offset = offset }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let reads = offsetsOfReads.withLock { offsets in
            offsets.append(offset)
            return offsets.count
        }
        if reads >= rangedReads { isSeekable = false }
        if offset != nextOffset { jumps += 1 }
        nextOffset = offset
        if let next = failures[offset]?.first {
            failures[offset]?.removeFirst()
            throw next
        }
        let limit = failures.keys.filter { $0 > offset && failures[$0]?.isEmpty == false }.min().map { Int($0 - offset) } ?? .max
        let count = min(buffer.count, blockSize, bytes.count - Int(offset), limit)
        guard count > 0 else { return 0 }
        buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
        if keepsBytes { keep(Int(offset)..<(Int(offset) + count)) }
        offset += Int64(count)
        nextOffset = offset
        byteCount += count
        return count
    }
}

extension ByteSource {
    /// Reads the medium from the present offset to its end.
    package func rest(blockSize: Int = 4096) throws(PlaybackError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        defer { buffer.deallocate() }
        var bytes: [UInt8] = []
        while true {
            let count = try read(into: buffer)
            if count == 0 { return bytes }
            bytes += UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        }
    }
}
