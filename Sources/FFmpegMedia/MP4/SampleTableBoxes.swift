/// The boxes with the sample tables of one MP4 track (ISO 14496-12, 8.6.1 and 8.7), as byte ranges of the file: a `SampleTableBoxes` contains no entry
/// of a table.
struct SampleTableBoxes {
    /// The byte ranges of the contents of the boxes "stts", "stsc", "stsz" or "stz2", and "stco" or "co64"; nil until the box has been found.
    private(set) var durations: Range<Int64>?
    private(set) var runs: Range<Int64>?
    private(set) var sizes: Range<Int64>?
    private(set) var chunks: Range<Int64>?
    /// Whether the offsets of chunks have 64 bits.
    private(set) var hasWideOffsets = false
    /// Whether the track has no table that gives its samples other times, kinds or places, and all of its tables are in its box "stbl".
    private(set) var isPlain = true
    /// Whether all samples are in the file itself: the box "dref" has one entry, which refers to the file.
    private(set) var isInFile = false

    /// The boxes without which all samples can be decoded independently, unencrypted, in the order of their times.
    private static let special: Set<String> = ["ctts", "stss", "stps", "sdtp", "saiz", "saio", "senc", "sinf"]

    /// Records the box `type`, which lies in the box `path`, and whose content lies between the byte offsets `start` and `end`.
    mutating func note(_ type: String, in path: String, _ start: Int64, _ end: Int64) {
        let content = start..<max(start, end)
        switch type {
        case "stts": durations = content
        case "stsc": runs = content
        case "stsz", "stz2": sizes = content
        case "stco", "co64":
            chunks = content
            hasWideOffsets = type == "co64"
        case _ where SampleTableBoxes.special.contains(type):
            isPlain = false
            return
        default: return
        }
        if path != "stbl" { isPlain = false }
    }

    /// Records the references of the box "dref" (8.7.2): their number, and the flags of the first one.
    mutating func note(references count: Int64, flags: Int64) { isInFile = count == 1 && flags & 1 != 0 }
}
