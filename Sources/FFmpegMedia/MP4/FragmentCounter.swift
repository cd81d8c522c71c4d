import Glibc

/// Counts the samples in the fragments of an MP4 file (their tables "trun", ISO 14496-12, 8.8.8), in all bytes of the file that FFmpeg reads. FFmpeg
/// makes an index entry for each of these samples. If they have no sizes, durations or flags of their own, 16 bytes of the file can ask for gigabytes
/// of memory.
///
/// A fragment's table is recognised only by its name, because it may occur at any offset, and FFmpeg obeys a table of any size. Other bytes may look
/// like a table. So tables count only after a fragment's header ("tfhd") that names a track of the file: without it, FFmpeg skips the tables.
///
/// The fragments are counted too ("moof", and the references of "sidx", 8.16.3): FFmpeg keeps a list of all fragments, with a record for each track.
struct FragmentCounter {
    /// The number of samples that all fragments together may have, however short the medium is. FFmpeg needs 36 bytes of memory for the index entry
    /// of one of them.
    private static let guaranteedSamples: Int64 = 1 << 18
    /// The minimum number of bytes that a sample occupies in the file: four bytes for its size in the table of its fragment. If all samples have one
    /// size, and the table has no sizes, a sample is assumed to be at least a frame of 16-bit stereo.
    private static let bytesPerSample: Int64 = 4
    /// The largest number of samples for which a fragment's table is counted. FFmpeg refuses a larger table, because it would have to allocate more
    /// memory at once than `FFmpegLibrary` permits.
    private static let largest: Int64 = MovieScreen.entryLimit + 1 << 16
    /// The maximum number of records of 56 bytes that FFmpeg keeps for all fragments together: one for each fragment, and one for each track of a
    /// fragment. A medium of 72 hours, in fragments of two seconds with seven tracks, has about as many records. If an index refers to the fragments,
    /// the records count twice, because the file does not show which reference belongs to which fragment. Then a medium of this length can have only
    /// three tracks.
    private static let recordLimit: Int64 = 1 << 20
    /// The names of the boxes "trun", "tfhd", "moof" and "sidx", as big-endian numbers.
    private static let table: Int64 = 0x7472_756E, header: Int64 = 0x7466_6864, fragment: Int64 = 0x6D6F_6F66, index: Int64 = 0x7369_6478
    /// The first letters of the names of the boxes "trun", "tfhd", "moof" and "sidx".
    private static let letters = Array("tms".utf8)
    /// The maximum distance from the start of a box to the end of its count, in bytes: the box's size, its name, a size of 64 bits, and the fields of
    /// a "sidx" of version 1 up to the number of its references.
    private static let headSize = 52
    /// The maximum number of track numbers from the headers of fragments that are stored. If there are more, all samples count as samples of the
    /// file's tracks, because the fragments of other tracks can no longer be told apart.
    private static let trackLimit = 1024

    /// The number of samples in the tables of all fragments, each table counted once.
    private(set) var total: Int64 = 0
    /// The number of fragments that the MP4 file has, plus the number of those to which its indexes ("sidx") refer; each box counts once.
    private(set) var fragments: Int64 = 0
    /// The numbers of the MP4 tracks that the headers of fragments name.
    private var tracks: Set<Int64> = []
    /// The byte ranges of the file that have already been searched, so that a box that is read again does not count again.
    private var searched = ByteRanges()
    /// The last bytes that have been read, because a box may begin in them.
    private var tail: [UInt8] = []
    /// The byte offset after the last bytes that have been read.
    private var next: Int64 = 0

    /// Searches `bytes`, which were read at the byte offset `offset` of the MP4 file, for the boxes of fragments.
    mutating func examine(_ bytes: UnsafeRawBufferPointer, offset: Int64) {
        guard !bytes.isEmpty else { return }
        if offset != next { tail = [] }
        next = offset + Int64(bytes.count)
        if !tail.isEmpty {
            let joint = tail + bytes.prefix(FragmentCounter.headSize - 1), start = offset - Int64(tail.count), count = tail.count
            joint.withUnsafeBytes { search($0, offset: start, before: count) }
        }
        search(bytes, offset: offset, before: bytes.count)
        // The first bytes after a seek of FFmpeg do not count as searched, because a box whose count lies in them may begin before them.
        searched.insert(min(next, tail.isEmpty ? offset + Int64(FragmentCounter.headSize) - 1 : offset)..<next)
        tail = (tail + bytes.suffix(FragmentCounter.headSize - 1)).suffix(FragmentCounter.headSize - 1)
    }

    /// Returns the number of entries in FFmpeg's index that the fragments cause. `tracks` are the numbers of the file's tracks; nil if unknown.
    func entryCount(tracks: Set<Int64>?) -> Int64 {
        guard let tracks, self.tracks.count < FragmentCounter.trackLimit else { return total }
        return self.tracks.isDisjoint(with: tracks) ? 0 : total
    }

    /// Returns whether a medium of at least `length` bytes can have `count` samples in fragments.
    static func holds(_ count: Int64, in length: Int64) -> Bool { count <= min(MovieScreen.entryLimit, guaranteedSamples + length / bytesPerSample) }

    /// Returns whether FFmpeg's records of all fragments are within the limit, if the MP4 file has `tracks` tracks.
    func isWithinLimit(tracks: Int) -> Bool { fragments <= FragmentCounter.recordLimit / Int64(tracks + 1) }

    /// Searches `bytes` for the boxes of fragments that begin before the index `end`. `offset` is the byte offset of `bytes` in the file.
    private mutating func search(_ bytes: UnsafeRawBufferPointer, offset: Int64, before end: Int) {
        guard let start = bytes.baseAddress else { return }
        for letter in FragmentCounter.letters {
            var from = 4
            while from < bytes.count, let found = memchr(start + from, Int32(letter), bytes.count - from) {
                let at = UnsafeRawPointer(found) - start
                from = at + 1
                guard at - 4 < end, bytes.count - at >= 12 else { break }
                count(bytes, at, offset: offset)
            }
        }
    }

    /// If the four bytes at index `at` are the name of a box of fragments, counts its samples or fragments, or stores its track.
    private mutating func count(_ bytes: UnsafeRawBufferPointer, _ at: Int, offset: Int64) {
        let name = FragmentCounter.number(bytes, at)
        switch name {
        case FragmentCounter.table, FragmentCounter.header, FragmentCounter.fragment, FragmentCounter.index: break
        default: return
        }
        // In a box, the version and the flags precede the count. If a box has a size of 64 bits, the size precedes the version and the flags.
        var field = at + (FragmentCounter.number(bytes, at - 4) == 1 ? 16 : 8)
        if name == FragmentCounter.index {
            guard field <= bytes.count else { return }
            // In a "sidx", the track, its time scale, two numbers of 32 or 64 bits, and 16 reserved bits precede the number of references.
            field += bytes[field - 4] == 0 ? 16 : 24
        }
        guard field + 4 <= bytes.count, !searched.contains(offset + Int64(field) + 3) else { return }
        let value = FragmentCounter.number(bytes, field)
        switch name {
        case FragmentCounter.header where tracks.count < FragmentCounter.trackLimit: tracks.insert(value)
        case FragmentCounter.table where value <= FragmentCounter.largest: total = min(total + value, Int64.max / 2)
        case FragmentCounter.fragment: fragments += 1
        case FragmentCounter.index: fragments += value & 0xFFFF
        default: break
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int64 {
        (0..<4).reduce(0) { $0 << 8 | Int64(bytes[at + $1]) }
    }
}
