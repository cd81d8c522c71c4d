/// SEEKTABLE (RFC 9639, section 8.5): where reading can begin.
enum FLACSeekTable {
    /// That are searched for the table.
    static let blockLimit = 128
    /// That are read.
    static let entryLimit = 16_384
    private static let entrySize = 18

    /// Empty without a table; a large one is thinned out to about `ByteSearch.capacity`. Offsets count from the start of the medium, in which the
    /// file begins at `start`. `read` returns fewer bytes if they cannot be read.
    static func points(at start: Int64, read: (Range<Int64>) -> [UInt8]) -> [ByteSearch.Point] {
        guard read(start..<(start + 4)).elementsEqual("fLaC".utf8) else { return [] }
        var at = start + 4, table: Range<Int64>?
        for _ in 0..<blockLimit {
            let head = read(at..<(at + 4))
            guard head.count == 4 else { return [] }
            let size = head[1...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if head[0] & 0x7F == 3 { table = (at + 4)..<(at + 4 + min(size, Int64(entryLimit * entrySize))) }
            at += 4 + size
            // After the last metadata block.
            if head[0] & 0x80 != 0 { return table.map { entries(in: read($0), audio: at) } ?? [] }
        }
        return []
    }

    private static func entries(in table: [UInt8], audio: Int64) -> [ByteSearch.Point] {
        let count = table.count / entrySize, step = count / ByteSearch.capacity + 1
        return stride(from: 0, to: count, by: step).compactMap { number in
            func value(_ offset: Int) -> Int64 { table[(number * entrySize + offset)...].prefix(8).reduce(0) { $0 << 8 | Int64($1) } }
            // Placeholders have all bits set, and no file has 2⁴⁸ samples or bytes.
            let (position, byte) = (value(0), value(8)), limit: Int64 = 1 << 48
            guard (0..<limit).contains(position), (0..<limit).contains(byte) else { return nil }
            return ByteSearch.Point(position: position, byte: audio + byte)
        }
    }
}
