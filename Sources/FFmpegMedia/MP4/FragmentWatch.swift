import Glibc

/// Counts the samples in the fragments of an MP4 file ("trun", ISO 14496-12, 8.8.8), in all bytes that FFmpeg reads of it. FFmpeg makes an index
/// entry for each: if samples have no sizes, durations or flags of their own, 16 bytes can ask for gigabytes.
///
/// Fragments arrive at any time and offset, and FFmpeg obeys a table of any size, so a table is recognised by its name alone. Other bytes may look
/// like one. So tables count only after a fragment's header ("tfhd") that names a track of the file: without one, FFmpeg skips them.
///
/// Also counts the fragments themselves ("moof", and the references of "sidx", 8.16.3): FFmpeg keeps a list of them, with a record for each track.
struct FragmentWatch {
    /// The number of samples that all fragments together may have, however short the medium is. An index entry takes FFmpeg 36 bytes.
    private static let guaranteedSamples: Int64 = 1 << 18
    /// Minimum size of a sample in the medium, in bytes: its size in the table, or a frame of 16-bit stereo.
    private static let bytesPerSample: Int64 = 4
    /// The largest count of a table. For a larger one FFmpeg would allocate more at once than `FFmpegLibrary` permits, so it does not count.
    private static let largest: Int64 = MovieTables.entryLimit + 1 << 16
    /// Maximum number of records that FFmpeg keeps of all fragments together, of 56 bytes each: one for each fragment and one for each of its tracks.
    /// 72 hours in fragments of two seconds with seven tracks have as many.
    private static let recordLimit: Int64 = 1 << 20
    /// The names "trun", "tfhd", "moof" and "sidx".
    private static let table: Int64 = 0x7472_756E, header: Int64 = 0x7466_6864, fragment: Int64 = 0x6D6F_6F66, index: Int64 = 0x7369_6478
    /// The first letters of these names.
    private static let letters = Array("tms".utf8)
    /// Maximum size from the start of a box to the end of its count, in bytes: size, name, a size of 64 bits, and the fields of a "sidx" of version 1
    /// up to its number of references.
    private static let headSize = 52
    /// Maximum number of tracks that are told apart. If fragments name more, they count for any track.
    private static let trackLimit = 1024

    /// The samples in all tables, each table counted once.
    private(set) var total: Int64 = 0
    /// The fragments that the file has or refers to, each counted once.
    private(set) var fragments: Int64 = 0
    /// The tracks that are named by headers of fragments.
    private var tracks: Set<Int64> = []
    /// The bytes that were searched for counts.
    private var seen = ByteRanges()
    /// The last bytes that were read, and the offset after them.
    private var tail: [UInt8] = []
    private var next: Int64 = 0

    /// Examines bytes that were read at byte `offset`.
    mutating func examine(_ bytes: UnsafeRawBufferPointer, offset: Int64) {
        guard !bytes.isEmpty else { return }
        if offset != next { tail = [] }
        next = offset + Int64(bytes.count)
        if !tail.isEmpty {
            let joint = tail + bytes.prefix(FragmentWatch.headSize - 1), start = offset - Int64(tail.count), count = tail.count
            joint.withUnsafeBytes { search($0, offset: start, before: count) }
        }
        search(bytes, offset: offset, before: bytes.count)
        // After a jump, a box that ends in the first bytes may begin before them.
        seen.insert(min(next, tail.isEmpty ? offset + Int64(FragmentWatch.headSize) - 1 : offset)..<next)
        tail = (tail + bytes.suffix(FragmentWatch.headSize - 1)).suffix(FragmentWatch.headSize - 1)
    }

    /// Returns the entries that FFmpeg's index gets from the fragments, if the file's tracks have these numbers; nil stands for any numbers.
    func entryCount(tracks: Set<Int64>?) -> Int64 {
        guard let tracks, self.tracks.count < FragmentWatch.trackLimit else { return total }
        return self.tracks.isDisjoint(with: tracks) ? 0 : total
    }

    /// Whether a medium of which `length` bytes are known to exist can have `count` samples in fragments.
    static func holds(_ count: Int64, in length: Int64) -> Bool { count <= min(MovieTables.entryLimit, guaranteedSamples + length / bytesPerSample) }

    /// Whether FFmpeg may list the fragments of a file with `tracks` tracks.
    func isWithinLimit(tracks: Int) -> Bool { fragments <= FragmentWatch.recordLimit / Int64(tracks + 1) }

    /// Searches for boxes that begin before index `end` of `bytes`.
    private mutating func search(_ bytes: UnsafeRawBufferPointer, offset: Int64, before end: Int) {
        guard let start = bytes.baseAddress else { return }
        for letter in FragmentWatch.letters {
            var from = 4
            while from < bytes.count, let found = memchr(start + from, Int32(letter), bytes.count - from) {
                let at = UnsafeRawPointer(found) - start
                from = at + 1
                guard at - 4 < end, bytes.count - at >= 12 else { break }
                count(bytes, at, offset: offset)
            }
        }
    }

    /// Counts the samples, the track or the fragments of a box whose name may be at index `at`.
    private mutating func count(_ bytes: UnsafeRawBufferPointer, _ at: Int, offset: Int64) {
        let name = FragmentWatch.number(bytes, at)
        switch name {
        case FragmentWatch.table, FragmentWatch.header, FragmentWatch.fragment, FragmentWatch.index: break
        default: return
        }
        // The number comes after version and flags, and after a size of 64 bits, if there is one.
        var field = at + (FragmentWatch.number(bytes, at - 4) == 1 ? 16 : 8)
        if name == FragmentWatch.index {
            guard field <= bytes.count else { return }
            // Before the number of a "sidx" are the track, its time scale, two numbers of 32 or 64 bits, and 16 reserved bits.
            field += bytes[field - 4] == 0 ? 16 : 24
        }
        guard field + 4 <= bytes.count, !seen.contains(offset + Int64(field) + 3) else { return }
        let value = FragmentWatch.number(bytes, field)
        switch name {
        case FragmentWatch.header where tracks.count < FragmentWatch.trackLimit: tracks.insert(value)
        case FragmentWatch.table where value <= FragmentWatch.largest: total = min(total + value, Int64.max / 2)
        case FragmentWatch.fragment: fragments += 1
        case FragmentWatch.index: fragments += value & 0xFFFF
        default: break
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int64 {
        (0..<4).reduce(0) { $0 << 8 | Int64(bytes[at + $1]) }
    }
}
