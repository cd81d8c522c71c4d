import PlaybackEngine

/// Finds Ogg pages in a source. Each byte is read about once, however many bytes look like pages.
struct OggPageReader {
    private let source: any ByteSource
    private let interrupt: Interrupt
    /// The block of bytes that was read last.
    private var block: [UInt8] = []
    /// The byte offset of the block.
    private var start: Int64 = 0
    /// Whether the source ends after the block.
    private var isAtEnd = false

    /// The size of a block, in bytes.
    private static let blockSize = 16_384

    init(_ source: any ByteSource, interrupt: Interrupt) {
        self.source = source
        self.interrupt = interrupt
    }

    /// Returns the page at a byte offset; nil if no page begins there.
    mutating func page(at offset: Int64) throws(PlaybackError) -> OggPage? { OggPage(try bytes(from: offset, OggPage.headSize + 255)) }

    /// Returns the byte offset of the next bytes that look like the start of a page; nil if there are none.
    mutating func next(from offset: Int64) throws(PlaybackError) -> Int64? {
        var at = offset
        while true {
            let bytes = try bytes(from: at, 4)
            guard bytes.count >= 4 else { return nil }
            var index = bytes.startIndex
            while let found = bytes[index...].firstIndex(of: 0x4F) {
                if bytes[found...].starts(with: "OggS".utf8) { return at + Int64(found - bytes.startIndex) }
                index = found + 1
            }
            at += Int64(bytes.count - 3)
        }
    }

    /// Returns the bytes from a byte offset on, at least `count`; fewer if the source ends before.
    private mutating func bytes(from offset: Int64, _ count: Int) throws(PlaybackError) -> ArraySlice<UInt8> {
        let end = start + Int64(block.count)
        if offset < start || offset > end || (end - offset < count && !isAtEnd) { try read(at: offset) }
        return block[Int(offset - start)...]
    }

    private mutating func read(at offset: Int64) throws(PlaybackError) {
        if interrupt.isRaised { throw .cancelled }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: OggPageReader.blockSize, alignment: 16)
        defer { buffer.deallocate() }
        try source.seek(to: offset)
        var done = 0
        isAtEnd = false
        while done < buffer.count, !isAtEnd {
            let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            done += got
            isAtEnd = got == 0
        }
        block = Array(buffer[..<done])
        start = offset
    }
}
