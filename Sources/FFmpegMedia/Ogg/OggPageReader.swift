import PlaybackEngine

/// Finds pages, and reads each byte about once, however many look like pages.
struct OggPageReader {
    private let source: any ByteSource
    private let interrupt: Interrupt
    /// The last block.
    private var recent: [UInt8] = []
    /// In the medium.
    private var start: Int64 = 0
    /// After this block.
    private var isAtEnd = false

    /// In bytes.
    private static let blockSize = 16_384

    init(_ source: any ByteSource, interrupt: Interrupt) {
        self.source = source
        self.interrupt = interrupt
    }

    /// Nil if none begins there.
    mutating func page(at offset: Int64) throws(PlaybackError) -> OggPage? { OggPage(try bytes(from: offset, OggPage.headSize + 255)) }

    /// At or after `offset`; what looks like a page.
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

    /// Fewer if the medium ends before.
    private mutating func bytes(from offset: Int64, _ count: Int) throws(PlaybackError) -> ArraySlice<UInt8> {
        let end = start + Int64(recent.count)
        if offset < start || offset > end || (end - offset < count && !isAtEnd) { try read(at: offset) }
        return recent[Int(offset - start)...]
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
        recent = Array(buffer[..<done])
        start = offset
    }
}
