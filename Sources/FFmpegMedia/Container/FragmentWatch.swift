import Glibc

/// Counts the samples that the fragments of an MP4 file name ("trun", ISO 14496-12, 8.8.8), in all bytes that FFmpeg reads of it. FFmpeg makes an index
/// entry of each: where samples have neither sizes nor durations nor flags of their own, 16 bytes can ask for gigabytes.
///
/// Fragments come at any time and at any place, and FFmpeg obeys a table of any size, so a table is known by its name alone. Other bytes look like that
/// too, so tables count only after a fragment's header ("tfhd") that names a track of the file: without one, FFmpeg passes over them.
///
/// It also counts the fragments themselves ("moof", and the references of "sidx", 8.16.3): FFmpeg keeps a list of them, with a record for each track.
struct FragmentWatch {
    /// Samples that all fragments together may name, however short the medium is. An index entry takes FFmpeg 36 bytes.
    private static let free: Int64 = 1 << 18
    /// The least bytes of a medium for a sample: its size in the table, or a frame of 16-bit stereo.
    private static let bytesPerSample: Int64 = 4
    /// Larger counts are none: FFmpeg asks for their index in one piece, which is larger than any that `FFmpegLibrary` permits.
    private static let largest: Int64 = MovieTables.most + 1 << 16
    /// The records that FFmpeg keeps of all fragments together, of 56 bytes: one for each fragment and one for each of its tracks. 72 hours in fragments of two
    /// seconds with seven tracks have as many.
    private static let recordLimit: Int64 = 1 << 20
    /// "trun", "tfhd", "moof" and "sidx".
    private static let table: Int64 = 0x7472_756E, header: Int64 = 0x7466_6864, fragment: Int64 = 0x6D6F_6F66, index: Int64 = 0x7369_6478
    /// Their first letters.
    private static let letters = Array("tms".utf8)
    /// Size, name, a size of 64 bits, and what stands before the number of references in a "sidx" of version 1, with that number.
    private static let headSize = 52
    /// Tracks that fragments are kept apart of; more name any track.
    private static let trackLimit = 1024

    /// The samples that the tables name, each table counted once.
    private(set) var total: Int64 = 0
    /// The fragments that the file has or refers to, each counted once.
    private(set) var fragments: Int64 = 0
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

    /// Whether FFmpeg may list the fragments of a file with so many tracks.
    func hasFew(tracks: Int) -> Bool { fragments <= FragmentWatch.recordLimit / Int64(tracks + 1) }

    /// Searches for boxes that begin before place `end` of `bytes`.
    private mutating func search(_ bytes: UnsafeRawBufferPointer, offset: Int64, before end: Int) {
        guard let start = bytes.baseAddress else { return }
        for letter in FragmentWatch.letters {
            var from = 4
            while from < bytes.count, let found = memchr(start + from, Int32(letter), bytes.count - from) {
                let at = UnsafeRawPointer(found) - start
                from = at + 1
                guard at - 4 < end, bytes.count - at >= 12 else { break }
                examine(bytes, at, offset: offset)
            }
        }
    }

    /// Counts what the box says whose name may stand at place `at`.
    private mutating func examine(_ bytes: UnsafeRawBufferPointer, _ at: Int, offset: Int64) {
        let name = FragmentWatch.number(bytes, at)
        guard [FragmentWatch.table, FragmentWatch.header, FragmentWatch.fragment, FragmentWatch.index].contains(name) else { return }
        // Version and flags, then a number: behind a size of 64 bits, where there is one.
        var place = at + (FragmentWatch.number(bytes, at - 4) == 1 ? 16 : 8)
        if name == FragmentWatch.index {
            guard place <= bytes.count else { return }
            // Behind the track, its time scale, and two numbers of 32 or 64 bits; 16 bits that are reserved come before.
            place += bytes[place - 4] == 0 ? 16 : 24
        }
        guard place + 4 <= bytes.count, !seen.contains(offset + Int64(place) + 3) else { return }
        let value = FragmentWatch.number(bytes, place)
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
