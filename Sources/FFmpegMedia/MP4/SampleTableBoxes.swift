/// The byte ranges of the boxes in which one MP4 track has its sample tables (ISO 14496-12, 8.6.1 and 8.7). The entries of the tables remain in the
/// file.
struct SampleTableBoxes {
    /// The byte ranges of the contents of the boxes "stts"; "stsc"; "stsz" or "stz2"; and "stco" or "co64". Nil until the box has been found.
    private(set) var durations: Range<Int64>?
    private(set) var runs: Range<Int64>?
    private(set) var sizes: Range<Int64>?
    private(set) var chunks: Range<Int64>?
    /// Whether the offsets of chunks have 64 bits ("co64") instead of 32.
    private(set) var hasWideOffsets = false
    /// Whether all tables of the track are in its box "stbl", and none of them is `special`.
    private(set) var isPlain = true
    /// Whether all samples are in the file itself: the box "dref" has only one entry, which refers to the file.
    private(set) var isInFile = false

    /// The boxes that a plain track does not have. They state that samples are presented in another order, depend on other samples, or are encrypted.
    private static let special: Set<String> = ["ctts", "stss", "stps", "sdtp", "saiz", "saio", "senc", "sinf"]

    /// Records the box `type` in the box `path`, whose content lies between the byte offsets `start` and `end`.
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
