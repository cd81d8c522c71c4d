import PlaybackEngine

/// Reads heads of elements (`EBMLHead`) and numbers from a medium, in blocks of 4,096 bytes. Keeps the last block in memory.
struct EBMLReader {
    let source: HeadSource
    /// The block that was read last, and its byte offset in the medium.
    private var block: [UInt8] = [], blockStart: Int64 = 0
    private static let blockSize = 4096

    init(_ source: HeadSource) { self.source = source }

    mutating func head(_ offset: Int64) throws(PlaybackError) -> EBMLHead? { EBMLHead(try bytes(offset, EBMLHead.maximumLength)) }

    /// Returns the big-endian number of `size` bytes at the byte offset `offset`; nil if `size` is 0.
    mutating func number(_ size: Int64, _ offset: Int64) throws(PlaybackError) -> UInt64? {
        size == 0 ? nil : try bytes(offset, Int(size)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the `count` bytes at the byte offset `offset`, at most 4,096; fewer if the medium ends before.
    mutating func bytes(_ offset: Int64, _ count: Int) throws(PlaybackError) -> ArraySlice<UInt8> {
        guard offset >= 0, offset < Int64.max / 2 else { return [] }
        if offset < blockStart || offset + Int64(count) > blockStart + Int64(block.count) {
            block = try source.bytes(offset..<(offset + Int64(EBMLReader.blockSize)))
            blockStart = offset
        }
        let start = Int(offset - blockStart)
        return block[start..<min(block.count, start + count)]
    }
}

/// An element's identifier and size in EBML, the base of Matroska (RFC 8794, sections 4 to 6).
struct EBMLHead: Equatable {
    let id: UInt32
    /// The size of the content, in bytes; nil if the head does not state it, so that the content may extend to the end of the parent element.
    let size: Int64?
    /// The length of the head itself, in bytes.
    let length: Int64

    /// The greatest length of a head, in bytes: 4 for the identifier and 8 for the size.
    static let maximumLength = 12

    /// Reads the head at the start of `bytes`; nil if it is invalid or incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let id = EBMLHead.number(bytes, maximum: 4), let size = EBMLHead.number(bytes.dropFirst(id.length), maximum: 8) else { return nil }
        self.id = UInt32(id.value | 1 << (7 * UInt64(id.length)))
        let all: UInt64 = 1 << (7 * UInt64(size.length)) - 1
        self.size = size.value == all ? nil : Int64(size.value)
        length = Int64(id.length + size.length)
    }

    /// Reads a number of variable length. Its leading zero bits count the bytes after the first; they and the one bit after them are not part of the
    /// value. Nil if the number is incomplete or longer than `maximum` bytes.
    private static func number(_ bytes: ArraySlice<UInt8>, maximum: Int) -> (value: UInt64, length: Int)? {
        guard let first = bytes.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard length <= maximum, bytes.count >= length else { return nil }
        let value = bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
        return (value ^ 1 << (7 * UInt64(length)), length)
    }
}
