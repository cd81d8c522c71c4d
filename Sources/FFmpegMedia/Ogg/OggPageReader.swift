import PlaybackEngine

/// Finds Ogg pages in a byte source. `OggPageReader` reads each byte of the medium about once, however many bytes look like Ogg pages.
struct OggPageReader {
    private let source: any ByteSource
    private let interrupt: Interrupt
    /// The block of the medium's bytes that was read last.
    private var recent: [UInt8] = []
    /// The byte offset in the medium at which `recent` (the bytes that were read last) begins.
    private var start: Int64 = 0
    /// Whether the medium ends after the block that was read last.
    private var isAtEnd = false

    /// The number of bytes that are read at once, as one block.
    private static let blockSize = 16_384

    init(_ source: any ByteSource, interrupt: Interrupt) {
        self.source = source
        self.interrupt = interrupt
    }

    /// Returns the Ogg page at a byte offset of the medium; nil if no page begins at this offset.
    mutating func page(at offset: Int64) throws(PlaybackError) -> OggPage? { OggPage(try bytes(from: offset, OggPage.headSize + 255)) }

    /// Returns the byte offset, at or after `offset`, of the next bytes that look like the start of an Ogg page; nil if there are none.
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

    /// Returns at least `count` bytes of the medium from a byte offset on; fewer if the medium ends before.
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
