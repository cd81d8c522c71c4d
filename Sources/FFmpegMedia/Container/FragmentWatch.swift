import Glibc

/// Counts the samples that the fragments of an MP4 file name ("trun", ISO 14496-12, 8.8.8), in all bytes that FFmpeg reads of it. FFmpeg makes an index
/// entry of each: where samples have neither sizes nor durations nor flags of their own, 16 bytes can ask for gigabytes.
///
/// Fragments come at any time and at any place, and FFmpeg obeys a table of any size, so a table is known by its name alone. Other bytes look like that
/// too, so tables count only after a fragment's header ("tfhd") that names a track of the file: without one, FFmpeg passes over them.
struct FragmentWatch {
    /// Samples that all fragments together may name, however short the medium is. An index entry takes FFmpeg 36 bytes.
    private static let free: Int64 = 1 << 18
    /// The least bytes of a medium for a sample: its size in the table, or a frame of 16-bit stereo.
    private static let bytesPerSample: Int64 = 4
    /// Larger counts are none: FFmpeg asks for their index in one piece, which is larger than any that `FFmpegLibrary` permits.
    private static let largest: Int64 = MovieTables.most + 1 << 16
    /// "trun" and "tfhd".
    private static let table: Int64 = 0x7472_756E, header: Int64 = 0x7466_6864, first: Int32 = 0x74
    /// Size, name, a size of 64 bits, version and flags, count.
    private static let headSize = 24
    /// Tracks that fragments are kept apart of; more name any track.
    private static let trackLimit = 1024

    /// The samples that the tables name, each table counted once.
    private(set) var total: Int64 = 0
    /// The tracks that headers of fragments name.
    private var tracks: Set<Int64> = []
    /// The bytes at which a box's count has been looked for.
    private var seen = ByteRanges()
    /// The end of what was read last, and the byte behind it.
    private var tail: [UInt8] = []
    private var next: Int64 = 0

    /// Looks at bytes that were read at byte `offset`.
    mutating func look(at bytes: UnsafeRawBufferPointer, offset: Int64) {
        guard !bytes.isEmpty else { return }
        if offset != next { tail = [] }
        next = offset + Int64(bytes.count)
        if !tail.isEmpty {
            let joint = tail + bytes.prefix(FragmentWatch.headSize - 1), start = offset - Int64(tail.count), count = tail.count
            joint.withUnsafeBytes { search($0, offset: start, before: count) }
        }
        search(bytes, offset: offset, before: bytes.count)
        // What ends in the first bytes behind a jump may begin before it.
        seen.insert(min(next, tail.isEmpty ? offset + Int64(FragmentWatch.headSize) - 1 : offset)..<next)
        tail = (tail + bytes.suffix(FragmentWatch.headSize - 1)).suffix(FragmentWatch.headSize - 1)
    }

    /// The entries that FFmpeg's index gets of the fragments of a file whose tracks have these numbers; nil: any.
    func entryCount(tracks: Set<Int64>?) -> Int64 {
        guard let tracks, self.tracks.count < FragmentWatch.trackLimit else { return total }
        return self.tracks.isDisjoint(with: tracks) ? 0 : total
    }

    /// Whether a medium of which `length` bytes are known to exist can have so many samples in fragments.
    static func holds(_ count: Int64, in length: Int64) -> Bool { count <= min(MovieTables.most, free + length / bytesPerSample) }

    /// Searches for boxes that begin before place `end` of `bytes`.
    private mutating func search(_ bytes: UnsafeRawBufferPointer, offset: Int64, before end: Int) {
        guard let start = bytes.baseAddress else { return }
        var from = 4
        while from < bytes.count, let found = memchr(start + from, FragmentWatch.first, bytes.count - from) {
            let at = UnsafeRawPointer(found) - start
            from = at + 1
            guard at - 4 < end, bytes.count - at >= 12 else { return }
            let name = FragmentWatch.number(bytes, at)
            guard name == FragmentWatch.table || name == FragmentWatch.header else { continue }
            // Version and flags, then a number: behind a size of 64 bits, where there is one.
            let place = at + (FragmentWatch.number(bytes, at - 4) == 1 ? 16 : 8)
            guard place + 4 <= bytes.count, !seen.contains(offset + Int64(place) + 3) else { continue }
            let value = FragmentWatch.number(bytes, place)
            if name == FragmentWatch.header {
                if tracks.count < FragmentWatch.trackLimit { tracks.insert(value) }
            } else if value <= FragmentWatch.largest {
                total = min(total + value, Int64.max / 2)
            }
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int64 {
        (0..<4).reduce(0) { $0 << 8 | Int64(bytes[at + $1]) }
    }
}

/// Ranges of bytes of a file, those that touch joined. The first of more than 4,096 is forgotten.
struct ByteRanges {
    private(set) var ranges: [Range<Int64>] = []
    private static let limit = 4096

    func contains(_ place: Int64) -> Bool {
        let number = index(of: place)
        return number < ranges.count && ranges[number].contains(place)
    }

    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var joined = range
        // Those that end at its start or later, and begin at its end or before.
        let first = index(of: range.lowerBound - 1)
        var last = first
        while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[last].lowerBound)..<max(joined.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [joined])
        if ranges.count > ByteRanges.limit { ranges.removeFirst() }
    }

    /// The first range that ends behind `place`.
    private func index(of place: Int64) -> Int {
        var low = 0, high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
