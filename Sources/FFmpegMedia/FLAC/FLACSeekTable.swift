/// The metadata block SEEKTABLE (RFC 9639, section 8.5): the points at which reading can begin.
enum FLACSeekTable {
    /// The maximum number of metadata blocks that are searched for the table.
    static let blockLimit = 128
    /// The greatest number of entries that are read.
    static let entryLimit = 16_384
    private static let entrySize = 18

    /// Returns the points of the table; empty if there is no table. Of a large table, only about `ByteSearch.capacity` points are returned. Offsets
    /// count from the start of the medium; the FLAC file in it begins at `start`. `read` returns the bytes of a range, or fewer if not all can be
    /// read.
    static func points(at start: Int64, read: (Range<Int64>) -> [UInt8]) -> [ByteSearch.Point] {
        guard read(start..<(start + 4)).elementsEqual("fLaC".utf8) else { return [] }
        var at = start + 4, table: Range<Int64>?
        for _ in 0..<blockLimit {
            let head = read(at..<(at + 4))
            guard head.count == 4 else { return [] }
            let size = head[1...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if head[0] & 0x7F == 3 { table = (at + 4)..<(at + 4 + min(size, Int64(entryLimit * entrySize))) }
            at += 4 + size
            // The audio follows the last metadata block.
            if head[0] & 0x80 != 0 { return table.map { entries(in: read($0), audio: at) } ?? [] }
        }
        return []
    }

    private static func entries(in table: [UInt8], audio: Int64) -> [ByteSearch.Point] {
        let count = table.count / entrySize, step = count / ByteSearch.capacity + 1
        return stride(from: 0, to: count, by: step).compactMap { number in
            func value(_ offset: Int) -> Int64 { table[(number * entrySize + offset)...].prefix(8).reduce(0) { $0 << 8 | Int64($1) } }
            // Entries that are only placeholders have all bits set. No file has 2⁴⁸ samples or bytes.
            let (position, byte) = (value(0), value(8)), limit: Int64 = 1 << 48
            guard (0..<limit).contains(position), (0..<limit).contains(byte) else { return nil }
            return ByteSearch.Point(position: position, byte: audio + byte)
        }
    }
}
