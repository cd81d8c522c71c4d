import PlaybackEngine

/// A byte source whose first bytes have already been read, to recognise the content. These bytes are delivered from memory, so that they cost no
/// second request, and can be delivered even if the base source cannot seek.
final class PeekedSource: ByteSource {
    private let base: any ByteSource
    private let head: [UInt8]
    private(set) var offset: Int64 = 0

    /// - Parameters:
    ///   - base: The source from which `head` has been read, so that its offset is the end of `head`.
    ///   - head: The first bytes of the medium.
    init(_ base: any ByteSource, head: [UInt8]) {
        self.base = base
        self.head = head
    }

    var length: Int64? { base.length }
    var storedLength: Int64? { base.storedLength }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { base.isSeekable }
    var isLive: Bool { base.isLive }
    func isPresent(_ range: Range<Int64>) -> Bool { base.isPresent(range) }
    var keepsBytes: Bool { base.keepsBytes }
    var readThroughLimit: Int64 { base.readThroughLimit }
    func finishOpening() { base.finishOpening() }
    func setNeeded(_ range: Range<Int64>?) { base.setNeeded(range) }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { base.copyPresent(at: offset, into: buffer) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if offset < Int64(head.count) {
            let count = min(buffer.count, head.count - Int(offset))
            buffer.copyBytes(from: head[Int(offset)..<(Int(offset) + count)])
            offset += Int64(count)
            return count
        }
        if base.offset != offset { try base.seek(to: offset) }
        let count = try base.read(into: buffer)
        offset += Int64(count)
        return count
    }

    func seek(to offset: Int64) throws(PlaybackError) {
        let target = max(0, offset)
        // If the base source cannot seek, the first bytes can be delivered again only while no byte after them has been read.
        let isHead = target <= Int64(head.count) && base.offset == Int64(head.count)
        if !isHead || target > Int64(head.count) {
            if base.offset != target { try base.seek(to: target) }
        }
        self.offset = target
    }
}
