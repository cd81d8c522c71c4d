/// Where one MP4 track has its sample tables (ISO 14496-12, 8.6.1 and 8.7); the entries remain in the file.
struct SampleTableBoxes {
    /// Contents of "stts"; "stsc"; "stsz" or "stz2"; and "stco" or "co64", if found.
    private(set) var durations: Range<Int64>?
    private(set) var runs: Range<Int64>?
    private(set) var sizes: Range<Int64>?
    private(set) var chunks: Range<Int64>?
    /// 64 bits ("co64") instead of 32.
    private(set) var hasWideOffsets = false
    /// All in "stbl", and none `special`.
    private(set) var isPlain = true
    /// "dref" has one entry, which refers to the file.
    private(set) var isInFile = false

    /// Samples in another order, dependent on others, or encrypted.
    private static let special: Set<String> = ["ctts", "stss", "stps", "sdtp", "saiz", "saio", "senc", "sinf"]

    /// The content is between `start` and `end`.
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

    /// Of "dref" (8.7.2): their number, and the flags of the first.
    mutating func note(references count: Int64, flags: Int64) { isInFile = count == 1 && flags & 1 != 0 }
}
