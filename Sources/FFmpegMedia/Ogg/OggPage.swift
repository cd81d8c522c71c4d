import PlaybackEngine

/// The header of an Ogg page (RFC 3533, section 6).
struct OggPage {
    /// The size of the whole page, in bytes.
    let size: Int
    let serial: UInt32
    /// Whether the page is the first of a stream.
    let isFirst: Bool
    /// The granule position: the position of the end of the last packet that ends on the page, in the codec's unit; nil if no packet ends there, or
    /// if the position is 2⁶² or more.
    let granule: Int64?

    /// The size of the header without the table of segments, in bytes.
    static let headSize = 27
    /// The size of the largest page, in bytes.
    static let largest = headSize + 255 + 255 * 255

    /// Reads the header at the start of `bytes`; nil if it is invalid or incomplete.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        guard bytes.count >= OggPage.headSize, bytes.starts(with: "OggS".utf8) else { return nil }
        func byte(_ number: Int) -> UInt8 { bytes[bytes.index(bytes.startIndex, offsetBy: number)] }
        let segments = Int(byte(26))
        guard byte(4) == 0, bytes.count >= OggPage.headSize + segments else { return nil }
        size = bytes.dropFirst(OggPage.headSize).prefix(segments).reduce(OggPage.headSize + segments) { $0 + Int($1) }
        serial = (0..<4).reduce(UInt32(0)) { $0 | UInt32(byte(14 + $1)) << UInt32(8 * $1) }
        isFirst = byte(5) & 2 != 0
        let number = (0..<8).reduce(UInt64(0)) { $0 | UInt64(byte(6 + $1)) << UInt64(8 * $1) }
        granule = number < 1 << 62 ? Int64(number) : nil
    }

    /// Returns whether the checksum of a complete page is right: a CRC-32 without reflection, computed with zeros in place of the checksum.
    static func hasValidChecksum(_ page: some RandomAccessCollection<UInt8>) -> Bool {
        guard page.count >= headSize else { return false }
        var checksum: UInt32 = 0, stated: UInt32 = 0
        for (number, byte) in page.enumerated() {
            let isStated = (22..<26).contains(number)
            if isStated { stated |= UInt32(byte) << UInt32(8 * (number - 22)) }
            checksum ^= UInt32(isStated ? 0 : byte) << 24
            for _ in 0..<8 { checksum = checksum & 1 << 31 != 0 ? checksum << 1 ^ 0x04C1_1DB7 : checksum << 1 }
        }
        return checksum == stated
    }

    /// Returns the distance from the start of `bytes` to the next bytes that look like a page, at least 1; nil if there are none.
    static func distance(in bytes: some RandomAccessCollection<UInt8>) -> Int? {
        var rest = bytes.dropFirst()
        while let index = rest.firstIndex(of: 0x4F) {
            rest = rest[index...]
            if rest.starts(with: "OggS".utf8) { return bytes.distance(from: bytes.startIndex, to: index) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

/// Finds the pages of an Ogg file. Each byte of the file is read about once, however many bytes look like pages.
struct OggPageReader {
    private let source: any ByteSource
    /// The block that was read last.
    private var recent: [UInt8] = []
    /// The byte offset of this block in the medium.
    private var start: Int64 = 0
    /// Whether the medium ends after this block.
    private var isAtEnd = false

    /// The size of a block, in bytes.
    private static let blockSize = 16_384

    init(_ source: any ByteSource) { self.source = source }

    /// Returns the page at the byte offset `offset`; nil if no page begins there.
    mutating func page(at offset: Int64) throws(PlaybackError) -> OggPage? { OggPage(try bytes(from: offset, OggPage.headSize + 255)) }

    /// Returns the offset of the next bytes that look like a page, at or after `offset`; nil if there are none.
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

    /// Returns bytes from `offset` on, at least `count`; fewer if the medium ends before.
    private mutating func bytes(from offset: Int64, _ count: Int) throws(PlaybackError) -> ArraySlice<UInt8> {
        let end = start + Int64(recent.count)
        if offset < start || offset > end || (end - offset < count && !isAtEnd) { try read(at: offset) }
        return recent[Int(offset - start)...]
    }

    private mutating func read(at offset: Int64) throws(PlaybackError) {
        try source.seek(to: offset)
        recent = try source.readBytes(OggPageReader.blockSize)
        isAtEnd = recent.count < OggPageReader.blockSize
        start = offset
    }
}

/// Finds the pages in a part of an Ogg stream, for seeks in remote media (`PacketTimeline.landByTimestamp`).
enum OggPageRun {
    /// Returns the pages in `bytes`, each with the position at which its audio begins: the last granule position before the page. A page is omitted
    /// if that is unknown, or not greater than the position of the preceding point. Empty if the pages belong to several streams.
    /// - Parameters:
    ///   - start: The offset of `bytes` in the medium.
    ///   - position: The position at which the audio of a page at the start of `bytes` begins; nil if unknown.
    static func points(in bytes: [UInt8], at start: Int64, _ position: Int64? = nil) -> [ByteSearch.Point] {
        var points: [ByteSearch.Point] = [], at = 0, position = position, serial: UInt32?
        while at < bytes.count {
            guard let page = OggPage(bytes[at...]) else {
                guard let distance = OggPage.distance(in: bytes[at...]) else { break }
                (at, position) = (at + distance, nil)
                continue
            }
            // The positions of several streams are unrelated.
            guard serial == nil || serial == page.serial else { return [] }
            serial = page.serial
            if let position, points.last.map({ $0.position < position }) ?? true {
                points.append(ByteSearch.Point(position: position, byte: start + Int64(at)))
            }
            if let granule = page.granule { position = granule }
            at += page.size
        }
        return points
    }
}
