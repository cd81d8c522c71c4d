import Glibc

/// Looks at all that FFmpeg reads of an MP4 file for fragments whose table of samples ("trun", ISO 14496-12, 8.8.8) is a count without content:
/// where samples have neither sizes nor durations nor flags of their own, 16 bytes can ask for gigabytes of its index.
///
/// Fragments come at any time and at any place, and so the table is known by its name, its size and its flags. Other bytes look like that once in some
/// thousand files of 2 GB.
struct FragmentWatch {
    /// Samples without content that all fragments together may name, however short the medium is. An index entry takes FFmpeg 36 bytes.
    private static let free: Int64 = 1 << 18
    /// "trun".
    private static let name: Int64 = 0x7472_756E, first: Int32 = 0x74
    /// Size, name, version and flags, count.
    private static let headSize = 16

    /// The counts found, by the byte of the file at which they stand.
    private var counts: [Int64: Int64] = [:]
    private var total: Int64 = 0
    /// The end of what was read last, and the byte behind it.
    private var tail: [UInt8] = []
    private var next: Int64 = 0

    /// Looks at bytes that were read at byte `offset`.
    mutating func look(at bytes: UnsafeRawBufferPointer, offset: Int64) {
        if offset != next { tail = [] }
        next = offset + Int64(bytes.count)
        if !tail.isEmpty {
            let joint = tail + bytes.prefix(FragmentWatch.headSize - 1), start = offset - Int64(tail.count)
            joint.withUnsafeBytes { search($0, offset: start) }
        }
        search(bytes, offset: offset)
        tail = (tail + bytes.suffix(FragmentWatch.headSize - 1)).suffix(FragmentWatch.headSize - 1)
    }

    /// Whether a medium of `length` bytes, or as many as were read of it, can have what its fragments say.
    func fits(_ length: Int64?) -> Bool { MovieTables.holds(total, in: length ?? next, free: FragmentWatch.free) }

    private mutating func search(_ bytes: UnsafeRawBufferPointer, offset: Int64) {
        guard let start = bytes.baseAddress else { return }
        var from = 0
        while from < bytes.count, let found = memchr(start + from, FragmentWatch.first, bytes.count - from) {
            let at = UnsafeRawPointer(found) - start
            from = at + 1
            guard at >= 4, bytes.count - at >= 12, FragmentWatch.number(bytes, at) == FragmentWatch.name else { continue }
            let size = FragmentWatch.number(bytes, at - 4), flags = FragmentWatch.number(bytes, at + 4), count = FragmentWatch.number(bytes, at + 8)
            guard size >= 16, size < 1 << 24, flags & 0xF00 == 0, count > 64 else { continue }
            if counts.updateValue(count, forKey: offset + Int64(at)) == nil { total += count }
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int64 {
        (0..<4).reduce(0) { $0 << 8 | Int64(bytes[at + $1]) }
    }
}
