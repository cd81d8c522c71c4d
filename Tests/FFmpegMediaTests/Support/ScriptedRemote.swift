import Platform
import PlaybackEngine
import Synchronization

@testable import FFmpegMedia

/// A remote medium whose server fails at the calls and offsets that the test sets.
final class ScriptedRemote: RetriedSource {
    let bytes: [UInt8]
    /// The outcomes of the next calls of `open`: nil for success.
    var openings: [PlaybackError?] = []
    /// The errors of the next reads from an offset on.
    var failures: [Int64: [PlaybackError]] = [:]
    /// The size of the largest answer to a read.
    var blockSize = 1000
    private(set) var openCount = 0
    /// The offsets of all reads, which a test may read while another thread transfers. The copy has storage of its own: ThreadSanitizer does not see
    /// the reference counts by which threads share an array's storage.
    var readOffsets: [Int64] { offsetsOfReads.withLock { $0.map { $0 } } }
    private let offsetsOfReads = Mutex<[Int64]>([])
    private(set) var offset: Int64 = 0
    var isLive = false
    var requestedDelay: Double?
    var isSeekable = true
    /// The number of reads after which the server no longer has byte ranges.
    var rangedReads = Int.max
    var isRemote: Bool { true }
    var length: Int64? { Int64(bytes.count) }

    /// The number of reads that do not continue the preceding one, and the number of bytes that were read.
    private(set) var jumps = 0, byteCount = 0
    private var nextOffset: Int64 = 0

    /// Whether the bytes that were read are kept, as a buffered source keeps them.
    var keepsBytes = false
    private var kept = PageStore()

    /// Keeps a range of bytes, as if they had been transferred.
    func keep(_ range: Range<Int>) { bytes[range].withUnsafeBytes { kept.write($0, at: Int64(range.lowerBound)) } }
    func dropKept() { kept = PageStore() }
    func isPresent(_ range: Range<Int64>) -> Bool { keepsBytes && kept.end(from: range.lowerBound) >= range.upperBound }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        keepsBytes ? kept.copy(at: offset, into: buffer) : 0
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ count: Int) { bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

    func open() throws(PlaybackError) {
        openCount += 1
        if !openings.isEmpty, let error = openings.removeFirst() { throw error }
    }

    func seek(to offset: Int64) throws(PlaybackError) { self.offset = offset }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
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
    func rest(blockSize: Int = 4096) throws(PlaybackError) -> [UInt8] {
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
