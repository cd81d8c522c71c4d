/// Changes the pages of Ogg files (RFC 3533, section 6), as recordings of stations and cuts have them.
enum OggPages {
    /// Returns the pages of a file.
    static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var pages: [[UInt8]] = [], at = 0
        while at + 27 <= bytes.count {
            let segments = Int(bytes[at + 26]), size = bytes[(at + 27)..<(at + 27 + segments)].reduce(27 + segments) { $0 + Int($1) }
            pages.append(Array(bytes[at..<(at + size)]))
            at += size
        }
        return pages
    }

    /// Returns the granule position of a page.
    static func granule(_ page: [UInt8]) -> Int64 { (6..<14).reversed().reduce(0) { $0 << 8 | Int64(page[$1]) } }

    /// Returns a file whose audio begins `shift` samples later than that of `bytes`, without its first `dropped` pages of audio.
    static func shifted(_ bytes: [UInt8], by shift: Int64, dropping dropped: Int = 0) -> [UInt8] {
        let pages = split(bytes), headers = pages.prefix { granule($0) == 0 }
        return (headers + pages.dropFirst(headers.count + dropped).map { moved($0, to: granule($0) + shift) }).flatMap { $0 }
    }

    /// Returns a page with another granule position, and the checksum for it.
    private static func moved(_ page: [UInt8], to granule: Int64) -> [UInt8] {
        var page = page
        for index in 0..<8 { page[6 + index] = UInt8(truncatingIfNeeded: granule >> Int64(8 * index)) }
        for (index, byte) in checksum(page).enumerated() { page[22 + index] = byte }
        return page
    }

    /// Returns the checksum of a page by polynomial division of its bits, unlike the code under test.
    static func checksum(_ page: [UInt8]) -> [UInt8] {
        var value: UInt32 = 0
        for (number, byte) in (page + [0, 0, 0, 0]).enumerated() {
            let content: UInt8 = (22..<26).contains(number) ? 0 : byte
            for bit in (0..<8).reversed() {
                let isSet = value >> 31 == 1
                value = value << 1 | UInt32(content >> bit & 1)
                if isSet { value ^= 0x04C1_1DB7 }
            }
        }
        return withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
