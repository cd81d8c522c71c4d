import PlaybackEngine

/// Reads heads and numbers in blocks of 4,096 bytes, of which it keeps the last.
struct EBMLReader {
    let source: HeadSource
    private let interrupt: Interrupt
    /// Read last, and its offset.
    private var block: [UInt8] = [], blockStart: Int64 = 0
    private static let blockSize = 4096

    init(_ source: HeadSource, interrupt: Interrupt) {
        self.source = source
        self.interrupt = interrupt
    }

    mutating func head(_ offset: Int64) throws(PlaybackError) -> EBMLHead? { EBMLHead(try bytes(offset, EBMLHead.maximumLength)) }

    /// Big-endian; nil if `size` is 0.
    mutating func number(_ size: Int64, _ offset: Int64) throws(PlaybackError) -> UInt64? {
        size == 0 ? nil : try bytes(offset, Int(size)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// At most 4,096; fewer if the medium ends before.
    mutating func bytes(_ offset: Int64, _ count: Int) throws(PlaybackError) -> ArraySlice<UInt8> {
        guard offset >= 0, offset < Int64.max / 2 else { return [] }
        if offset < blockStart || offset + Int64(count) > blockStart + Int64(block.count) {
            if interrupt.isRaised { throw .cancelled }
            block = try source.bytes(offset..<(offset + Int64(EBMLReader.blockSize)))
            blockStart = offset
        }
        let start = Int(offset - blockStart)
        return block[start..<min(block.count, start + count)]
    }
}
