/// RFC 3533, section 6.
struct OggPage {
    /// Of the whole page, in bytes.
    let size: Int
    let serial: UInt32
    /// Of a stream.
    let isFirst: Bool
    /// At the end of the last packet that ends on the page, in the unit of the codec; nil if none does, or from 2⁶² on.
    let granule: Int64?

    /// Without the table of segments, in bytes.
    static let headSize = 27
    /// In bytes.
    static let largest = headSize + 255 + 255 * 255

    /// Nil also if incomplete.
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

    /// A CRC-32 without reflection, with zeros in place of the checksum. The page is complete.
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

    /// To the next bytes that look like a page, at least 1.
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
