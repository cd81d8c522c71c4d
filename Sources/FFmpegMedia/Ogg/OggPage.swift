/// The head of an Ogg page (RFC 3533, section 6).
struct OggPage {
    /// The size of the whole Ogg page, in bytes.
    let size: Int
    let serial: UInt32
    /// Whether the Ogg page is the first page of a stream.
    let isFirst: Bool
    /// The position at the end of the last packet that ends on the Ogg page, in the unit of the codec (usually frames). Nil if no packet ends on the
    /// page, or if the position is 2⁶² or more.
    let granule: Int64?

    /// The size of an Ogg page's head without its table of segments, in bytes.
    static let headSize = 27
    /// The size of the largest possible Ogg page, in bytes.
    static let largest = headSize + 255 + 255 * 255

    /// Reads the head of an Ogg page at the start of `bytes`; nil if the bytes are not a page, or if the head is incomplete.
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

    /// Returns whether a complete Ogg page has the checksum that its head states: a CRC-32 without reflection, of the page with zeros in place of the
    /// checksum.
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

    /// Returns the distance, in bytes, from the first byte of `bytes` to the next bytes that look like the start of an Ogg page; nil if there are no
    /// such bytes. The distance is at least 1.
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
