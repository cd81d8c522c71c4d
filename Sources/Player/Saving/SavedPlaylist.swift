/// The part of a playlist that is saved from one run of the program to the next, as a value. A `SavedPlaylist` is cheap to copy, because it shares
/// its memory with the playlist until the playlist changes.
public struct SavedPlaylist: Sendable {
    public var entries: [PlaylistEntry] = []
    public var currentID: String?
    public var repeatMode = PlaylistMachine.RepeatMode.off
    public var isShuffled = false
    /// Whether an entry that was current is removed from the playlist after another entry became current, except by the command `previous`.
    public var isConsuming = false
    /// The ids of all entries in playback order if the playlist is shuffled; otherwise empty.
    public var shuffledOrder: [String] = []
    /// The ids of the entries that were current before, the latest last.
    public var history: [String] = []
    public var revision = 0
    /// The number of the next new entry. It is saved, so that a new entry never has the id of an earlier entry.
    public var nextNumber = 1
    /// The state of the generator of random numbers for the shuffle.
    public var generator: UInt64 = 0
    public init() {}

    /// The saved playlist without its entries, but with its settings and the number of the next entry.
    public var withoutEntries: SavedPlaylist {
        var copy = self
        (copy.entries, copy.currentID, copy.shuffledOrder, copy.history) = ([], nil, [], [])
        copy.revision += entries.isEmpty ? 0 : 1
        return copy
    }

    /// The limit of the number of an entry and of the revision, so that later numbers cannot overflow. Saved entries with a number at or above the
    /// limit are removed, and a larger revision is lowered to the limit.
    private static let largestNumber = Int.max / 2

    /// A corrected copy of the playlist: no id occurs twice, each id belongs to an entry, and the shuffled order contains each entry. A playlist that
    /// this program has saved needs no correction.
    var consistent: SavedPlaylist {
        var copy = self
        var known = Set<String>()
        copy.entries = entries.filter { (PlaylistEntry.number(ofID: $0.id) ?? 0) < Self.largestNumber && known.insert($0.id).inserted }
        if copy.entries.count > PlaylistMachine.maximumCount {
            copy.entries.removeLast(copy.entries.count - PlaylistMachine.maximumCount)
            known = Set(copy.entries.map(\.id))
        }
        copy.history = Array(history.filter(known.contains).suffix(PlaylistMachine.maximumHistory))
        copy.currentID = currentID.flatMap { known.contains($0) ? $0 : nil }
        var ordered = Set<String>()
        copy.shuffledOrder = isShuffled ? shuffledOrder.filter { known.contains($0) && ordered.insert($0).inserted } : []
        if isShuffled, ordered.count < known.count { copy.shuffledOrder += copy.entries.map(\.id).filter { !ordered.contains($0) } }
        let largest = copy.entries.lazy.compactMap { PlaylistEntry.number(ofID: $0.id) }.max() ?? 0
        copy.nextNumber = max(min(nextNumber, Self.largestNumber), largest + 1)
        copy.revision = min(max(revision, 0), Self.largestNumber)
        return copy
    }
}

extension PlaylistEntry {
    /// Returns the id of the entry with a number.
    public static func id(ofNumber number: Int) -> String { "e\(number)" }

    /// Returns the number of the entry with an id; nil if no entry has such an id.
    public static func number(ofID id: String) -> Int? {
        var digits = id.utf8[...]
        guard digits.popFirst() == UInt8(ascii: "e"), !digits.isEmpty else { return nil }
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(Int(digit - 0x30))
            guard !overflowed, !isTooLarge else { return nil }
            number = sum
        }
        return number
    }
}
